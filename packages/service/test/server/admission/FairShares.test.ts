import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as FairShares from "../../../src/server/admission/FairShares.ts"

/** A thread on which holders run work, one piece after another; only work advances time. */
const makeThread = () => {
  const shares = FairShares.make()
  const waiting = new Map<string, Array<number>>()
  const ran: Array<{ readonly holder: string; readonly millis: number }> = []
  const addOf = (kind: string | undefined, holder: string, ...work: ReadonlyArray<number>) => {
    const own = waiting.get(holder)
    if (own === undefined) shares.enter(holder, kind)
    waiting.set(holder, [...(own ?? []), ...work])
  }
  return {
    shares,
    ran,
    /** Adds work of a kind. */
    addOf,
    add: (holder: string, ...work: ReadonlyArray<number>) => addOf(undefined, holder, ...work),
    waits: (holder: string): boolean => waiting.has(holder),
    leave: (holder: string) => {
      waiting.delete(holder)
      shares.leave(holder)
    },
    /** Runs one piece of work; returns its holder. */
    step: (): string | undefined => {
      const holder = shares.next()
      if (holder === undefined) return undefined
      const [millis = 0, ...left] = waiting.get(holder)!
      waiting.delete(holder)
      shares.add(holder, millis, left.length > 0)
      ran.push({ holder, millis })
      if (left.length > 0) {
        waiting.set(holder, left)
        shares.enter(holder)
      }
      return holder
    },
  }
}

const used = (ran: ReturnType<typeof makeThread>["ran"], holder: string): number =>
  ran.reduce((sum, one) => sum + (one.holder === holder ? one.millis : 0), 0)

const names = ["a", "b", "c", "d", "e"] as const
const holders = Schema.Array(Schema.Literals(names)).check(Schema.isMinLength(1))
const pieces = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 }))).check(
  Schema.isMinLength(5),
  Schema.isMaxLength(40),
)

describe("FairShares", () => {
  it("standing: a holder with little work is next, however many others wait", () => {
    const thread = makeThread()
    for (let at = 0; at < 100; at++) thread.add(`heavy-${at}`, ...Array.from({ length: 3 }, () => 5 + at / 1_000))
    for (let at = 0; at < 150; at++) thread.step()
    thread.add("light", 1)

    expect(thread.step()).toBe("light")
  })

  it("standing: a holder that alternates between nothing and much gets no more than its share", () => {
    const thread = makeThread()
    thread.add("steady", ...Array.from({ length: 100 }, () => 1))
    for (let round = 0; round < 5; round++) {
      thread.add("alternating", 10)
      for (let at = 0; at < 10; at++) thread.step()
    }

    expect(used(thread.ran, "alternating")).toBeLessThanOrEqual(used(thread.ran, "steady") + 10)
  })

  it("standing: time that a holder used while no other waited does not count against it", () => {
    const thread = makeThread()
    thread.add("alone", ...Array.from({ length: 1_000 }, () => 10))
    for (let at = 0; at < 998; at++) thread.step()
    thread.add("other", 10, 10, 10)

    expect([thread.step(), thread.step(), thread.step()]).toEqual(["alone", "other", "alone"])
  })

  it("next: short work of a holder precedes that of a hundred new holders with the same low standing", () => {
    const thread = makeThread()
    for (let at = 0; at < 10; at++) {
      thread.add("short", 1)
      thread.step()
    }
    for (let at = 0; at < 100; at++) thread.add(`new-${at}`, 7, 7)
    for (let at = 0; at < 30; at++) thread.step()
    thread.add("short", 1)

    expect(thread.step()).toBe("short")
  })

  it("next: short work of one kind does not put a hundred holders first that begin long work of another kind", () => {
    const thread = makeThread()
    const others = Array.from({ length: 100 }, (_, at) => `other-${at}`)
    for (let at = 0; at < 10; at++) {
      thread.addOf("brief", "short", 1)
      for (const holder of others) thread.addOf("brief", holder, 0.5)
      while (thread.step() !== undefined);
    }
    for (const holder of others) thread.addOf("costly", holder, 7, 7)
    for (let at = 0; at < 30; at++) thread.step()
    thread.addOf("brief", "short", 1)

    expect(thread.step()).toBe("short")
  })

  it("next: a kind of work that was short remains short, whatever long work of another kind its holder had since", () => {
    const thread = makeThread()
    for (let at = 0; at < 10; at++) {
      thread.addOf("brief", "both", 1)
      thread.step()
    }
    for (let at = 0; at < 10; at++) {
      thread.addOf("costly", "both", 20)
      thread.step()
    }
    for (let at = 0; at < 100; at++) thread.add(`new-${at}`, 7, 7)
    for (let at = 0; at < 30; at++) thread.step()
    thread.addOf("brief", "both", 1, 1)

    expect([thread.step(), thread.step()]).toEqual(["both", "both"])
  })

  it("next: a pause during short work, such as garbage collection, does not make its holder wait for a hundred others", () => {
    const thread = makeThread()
    for (let at = 0; at < 21; at++) {
      thread.add("short", at === 20 ? 60 : 1)
      thread.step()
    }
    for (let at = 0; at < 100; at++) thread.add(`new-${at}`, 7, 7)
    thread.add("short", 1)

    expect(thread.step()).toBe("short")
  })

  it("next: short work below its share does not wait for a round of a hundred others, whenever it is added", () => {
    const thread = makeThread()
    const others = Array.from({ length: 100 }, (_, at) => `other-${at}`)
    for (let at = 0; at < 40; at++) {
      thread.add("short", 2.1)
      thread.step()
    }
    const next = Array.from({ length: 30 }, () => {
      for (let at = 0; at < 27; at++) {
        for (const holder of others) if (!thread.waits(holder)) thread.add(holder, 10, 10, 10)
        thread.step()
      }
      // Eight milliseconds in a round of a second, of which its share is ten.
      thread.add("short", 2.1)
      return thread.step()
    })

    expect(next).toEqual(Array.from({ length: 30 }, () => "short"))
  })

  it.each([
    ["a long pause", 60],
    ["a pause of little more than a quantum", 9],
  ])(
    "next: a request that met %s continues before those of a hundred others with the same low standing",
    (_, piece) => {
      const thread = makeThread()
      for (let at = 0; at < 40; at++) {
        thread.add("short", 1, 1)
        while (thread.step() !== undefined);
      }
      for (let at = 0; at < 100; at++) thread.add(`new-${at}`, 7, 7)
      thread.add("short", piece, 1)

      expect([thread.step(), thread.step()]).toEqual(["short", "short"])
    },
  )

  it("next: short work of a hundred others precedes long work only until each has used two more quanta", () => {
    const thread = makeThread()
    const others = Array.from({ length: 100 }, (_, at) => `other-${at}`)
    const ask = () => {
      for (const holder of others) if (!thread.waits(holder)) thread.add(holder, 2)
    }
    for (let at = 0; at < 40; at++) {
      ask()
      while (thread.step() !== undefined);
    }
    thread.add("long", ...Array.from({ length: 100 }, () => 2))
    for (let at = 0; at < 5_000; at++) {
      ask()
      thread.step()
    }

    const usedByOthers = others.map((holder) => used(thread.ran.slice(4_000), holder))
    expect(Math.max(...usedByOthers) - used(thread.ran, "long")).toBeLessThanOrEqual(16 + 2)
  })

  it("add: counts work that takes longer than usual in full, except for an occasional pause", () => {
    const requests = {
      "one that goes on": () => [40, 40],
      "long and short ones": (at: number) => [at % 2 === 0 ? 40 : 0.1],
    }
    for (const [name, requestAt] of Object.entries(requests)) {
      const thread = makeThread()
      for (let at = 0; at < 40; at++) {
        thread.add(name, 0.1)
        thread.step()
      }
      thread.add("steady", ...Array.from({ length: 1_000 }, () => 4))
      for (let at = 0; at < 800; at++) {
        if (name === "one that goes on" || !thread.waits(name)) thread.add(name, ...requestAt(at))
        thread.step()
      }

      expect(used(thread.ran, name)).toBeLessThanOrEqual(1.2 * used(thread.ran, "steady"))
    }
  })

  it("next: a continued request precedes an equally short one that has waited longer", () => {
    const thread = makeThread()
    for (let at = 0; at < 20; at++) {
      for (const holder of ["first", "second"]) thread.add(holder, 1)
      while (thread.step() !== undefined);
    }
    thread.add("first", 1, 1)
    thread.add("second", 1)

    expect([thread.step(), thread.step(), thread.step()]).toEqual(["first", "first", "second"])
  })

  it("standing: a new holder starts at the thread's level, even while others wait all the time", () => {
    const thread = makeThread()
    for (const holder of ["a", "b"]) thread.add(holder, 10, 10, 10)
    for (let at = 0; at < 4; at++) thread.step()

    expect(thread.shares.standing("new")).toBe(10)
  })

  it("standing: a run of one quantum keeps the standing at its begin, and a longer one does not", () => {
    const shares = FairShares.make()
    for (let at = 0; at < 20; at++) shares.add("short", 1, false)
    const began = shares.standing("short")
    shares.add("short", 8, true)
    const ofQuantum = shares.standing("short")
    shares.add("short", 1, true)

    expect([began, ofQuantum, shares.standing("short")]).toEqual([20 - 16, 20 - 16, 20 + 9])
  })

  it.each([
    ["a pause as a quantum more than a run that is unknown", [60], 24],
    ["a quantum more than usual as no pause", [24, 60], 24 + 24],
    ["a second pause in full", [60, 60], 24 + 60],
    ["a second pause 32 quanta later", [60, ...Array<number>(12).fill(16), 20, 20, 60], 256 + 24],
    ["a pause by a run that took less, a quarter of which is usual then", [8, 60], 8 + 14 + 8],
    ["a pause by one that took more, a sixteenth of which is", [8, 16, 60], 8 + 16 + 14.125 + 8],
  ])("add: counts %s", (_, pieces, expected) => {
    const shares = FairShares.make()
    for (const millis of pieces) shares.add("one", millis, false)

    expect(shares.standing("one")).toBe(expected)
  })

  it("add: a run that usually takes one quantum is short, so that a longer piece may have met a pause", () => {
    const shares = FairShares.make()
    // The usual duration becomes 12, 9 and 8 milliseconds.
    for (const millis of [0, 0, 5]) shares.add("one", millis, false)
    shares.add("one", 12, true)

    expect(shares.standing("one")).toBe(5 + 12 - 8 - 16)
  })

  it("add: a long run does not make the next short ones of its holder wait for others' long ones", () => {
    const thread = makeThread()
    thread.add("other", ...Array.from({ length: 500 }, () => 4))
    thread.add("once", ...Array.from({ length: 250 }, () => 4))
    while (thread.waits("once")) thread.step()
    while (thread.step() !== undefined);
    for (let at = 0; at < 4; at++) {
      thread.add("once", 1)
      thread.step()
    }
    thread.add("new", 7)
    thread.add("once", 1)

    expect(thread.step()).toBe("once")
  })

  it("leave: ends the run of a holder, which is then no further ahead than others with as many runs", () => {
    const thread = makeThread()
    for (let at = 0; at < 20; at++) {
      for (const [holder, millis] of [
        ["leaving", 0.5],
        ["staying", 1],
      ] as const)
        thread.add(holder, millis)
      while (thread.step() !== undefined);
    }
    thread.add("staying", 1)
    thread.add("leaving", 0.5, 0.5)
    expect(thread.step()).toBe("leaving")
    thread.leave("leaving")
    thread.add("leaving", 0.5)

    expect(thread.step()).toBe("staying")
  })

  it("next: the pieces of a short request do not wait for repeated requests of a hundred others", () => {
    const thread = makeThread()
    const others = Array.from({ length: 100 }, (_, at) => `other-${at}`)
    const ask = () => {
      for (const holder of others) if (!thread.waits(holder)) thread.add(holder, 0.25)
    }
    for (let at = 0; at < 40; at++) {
      thread.add("request", 1, 1, 1)
      for (const holder of others) thread.add(holder, 0.25)
      while (thread.step() !== undefined);
    }
    ask()
    thread.add("request", 3, 1, 1)
    let steps = 0
    while (thread.waits("request")) {
      thread.step()
      ask()
      steps++
    }

    expect(steps).toBeLessThanOrEqual(103)
  })

  it("next: a holder that used less than its share is next, even if its work takes longer than others'", () => {
    const thread = makeThread()
    for (let at = 0; at < 20; at++) {
      thread.add("seldom", 5)
      thread.step()
    }
    for (let at = 0; at < 50; at++) thread.add(`often-${at}`, ...Array.from({ length: 20 }, () => 1))
    for (let at = 0; at < 50 * 12; at++) thread.step()
    thread.add("seldom", 5)

    expect(thread.step()).toBe("seldom")
  })

  it("next: the pieces of a long request do not wait for a round of a hundred others if its holder is below its share", () => {
    const thread = makeThread()
    const others = Array.from({ length: 100 }, (_, at) => `other-${at}`)
    const keepBusy = () => {
      for (const holder of others) if (!thread.waits(holder)) thread.add(holder, 4, 4, 4, 4)
    }
    keepBusy()
    thread.add("seldom", 4)
    while (thread.waits("seldom")) thread.step()
    const next = Array.from({ length: 5 }, () => {
      // Meanwhile each of the others uses 16 milliseconds, and it needs 12.
      for (let at = 0; at < 400; at++) {
        keepBusy()
        thread.step()
      }
      keepBusy()
      thread.add("seldom", 4, 4, 4)
      return [thread.step(), thread.step(), thread.step()]
    })

    expect(next).toEqual(Array.from({ length: 5 }, () => ["seldom", "seldom", "seldom"]))
  })

  it("next: skips a holder that has left, which is behind the waiting ones when it returns", () => {
    const thread = makeThread()
    for (const holder of ["a", "b", "c"]) thread.add(holder, 5)
    thread.leave("a")
    thread.leave("b")
    thread.add("a", 5)

    expect([thread.step(), thread.step(), thread.step()]).toEqual(["c", "a", undefined])
  })

  it("add: forgets holders with the standing of a new one", () => {
    const shares = FairShares.make()
    for (let at = 0; at < 30_000; at++) shares.add(`once-${at}`, 1, false)
    shares.enter("other")
    shares.add("later", 10, false)
    for (let at = 0; at < 10; at++) shares.add(`last-${at}`, 1, false)

    expect(shares.standing("once-1")).toBe(shares.standing("never"))
    expect(shares.standing("later")).toBeGreaterThan(shares.standing("never"))
  })

  it("add: repeatedly forgets holders that used no more than a new one once more than 10,000 are known", () => {
    const shares = FairShares.make()
    const aheadOfNew = () => shares.standing("never") - shares.standing("short")
    const rounds = ["a", "b"].map((round) => {
      for (let at = 0; at < 20; at++) shares.add("short", 1, false)
      for (let at = 0; at < 9_999; at++) shares.add(`${round}-${at}`, 1, false)
      const before = aheadOfNew()
      shares.add("last", 1, false)
      return [before, aheadOfNew()]
    })

    expect(rounds).toEqual([
      [16, 0],
      [16, 0],
    ])
  })

  it.prop(
    "law: of two holders that wait, neither uses more than the other by more than a piece of each",
    { work: Schema.Struct({ a: pieces, b: pieces, c: pieces }) },
    ({ work }) => {
      const thread = makeThread()
      for (const [holder, own] of Object.entries(work)) thread.add(holder, ...own)
      while (["a", "b", "c"].every(thread.waits)) {
        thread.step()
        const all = ["a", "b", "c"].map((holder) => used(thread.ran, holder))
        expect(Math.max(...all) - Math.min(...all)).toBeLessThanOrEqual(18)
      }
    },
  )

  it.prop(
    "law: waiting work begins after at most two pieces of each other holder, whatever they add meanwhile",
    { before: holders, after: holders },
    ({ after, before }) => {
      const thread = makeThread()
      for (const holder of before) thread.add(holder, 5)
      for (const _ of before) thread.step()
      thread.add("late", 5)
      let steps = 0
      while (thread.waits("late")) {
        for (const holder of after) thread.add(holder, 5)
        thread.step()
        steps++
      }

      expect(steps).toBeLessThanOrEqual(2 * names.length + 1)
    },
  )

  it.prop(
    "law: short work of a holder below its share begins after the running piece, whatever new holders add",
    {
      count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 })),
      long: Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 4, maximum: 9 }))),
      pauses: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))),
    },
    ({ count, long, pauses }) => {
      const thread = makeThread()
      for (let at = 0; at < 20; at++) {
        thread.add("short", 1)
        thread.step()
      }
      const keepBusy = () => {
        for (let at = 0; at < count; at++) if (!thread.waits(`long-${at}`)) thread.add(`long-${at}`, ...long)
      }
      for (const [times, pause] of pauses.entries()) {
        // It may arrive at any time at first, and uses less than its share with a piece per round of the others.
        for (let at = 0; at < pause + (times === 0 ? 0 : count); at++) {
          keepBusy()
          thread.step()
        }
        keepBusy()
        thread.add("short", 1)
        expect(thread.step()).toBe("short")
      }
    },
  )

  it.prop("law: some work runs while any waits", { holders }, ({ holders }) => {
    const thread = makeThread()
    for (const holder of holders) thread.add(holder, 1)
    let steps = 0
    while (thread.step() !== undefined) steps++

    expect(steps).toBe(holders.length)
  })

  it("first: is the eligible holder with the lowest standing, and the first among equals", () => {
    const standings = { a: 1, b: 5, c: 3, d: 3 }
    const firstOf = (...names: ReadonlyArray<keyof typeof standings>) =>
      // Sound: the holders are those with a standing.
      FairShares.first({ standing: (name) => standings[name as keyof typeof standings] }, names, (name) => name !== "a")

    expect([firstOf("a", "b", "c", "d"), firstOf("c", "b"), firstOf("a"), firstOf()]).toEqual([
      "c",
      "c",
      undefined,
      undefined,
    ])
  })
})
