/** Texts that would run where a page takes text for markup, for an address or for a script. Each calls `hacked()`, which a test listens to. */
const CALL = 'hacked()';

/** Ways to be run, once the text stands where markup may. */
const MARKUP = [
  `<script>${CALL}</script>`,
  `<script src=data:text/javascript,${CALL}></script>`,
  `<img src=x onerror=${CALL}>`,
  `<img src="x" onerror="${CALL}" alt="">`,
  `<svg onload=${CALL}>`,
  `<svg><script>${CALL}</script></svg>`,
  `<svg><animate onbegin=${CALL} attributeName=x dur=1s>`,
  `<svg><a xlink:href="javascript:${CALL}"><text y=20>x</text></a></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${CALL}></style>`,
  `<details open ontoggle=${CALL}>`,
  `<video><source onerror=${CALL}></video>`,
  `<audio src=x onerror=${CALL}>`,
  `<input autofocus onfocus=${CALL}>`,
  `<select autofocus onfocus=${CALL}>`,
  `<textarea autofocus onfocus=${CALL}>`,
  `<body onload=${CALL}>`,
  `<iframe srcdoc="<script>parent.${CALL}</script>"></iframe>`,
  `<iframe src="javascript:parent.${CALL}"></iframe>`,
  `<object data="javascript:${CALL}"></object>`,
  `<embed src="javascript:${CALL}">`,
  `<a href="javascript:${CALL}">x</a>`,
  `<form action="javascript:${CALL}"><button>x</button></form>`,
  `<button formaction="javascript:${CALL}" form=f>x</button>`,
  `<style>@import "javascript:${CALL}";</style>`,
  `<link rel=stylesheet href="javascript:${CALL}">`,
  `<base href="javascript:${CALL}//">`,
  `<meta http-equiv=refresh content="0;url=javascript:${CALL}">`,
  `<div style="background:url(javascript:${CALL})">`,
  `<div onmouseover=${CALL}>x</div>`,
  `<p style=animation:x onanimationstart=${CALL}>`,
  `<marquee onstart=${CALL}>`,
  `<template><img src=x onerror=${CALL}></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${CALL}>">`,
  `<x contenteditable onblur=${CALL}>`,
  `<dialog open onclose=${CALL}>`,
];

/** Ways out of where text stands: an attribute, an element that holds text, a comment, a script. */
const ESCAPES = ['', '">', "'>", '</title></textarea></script>', '--><!-- -->', ']]>'];

/** Those that need no markup. */
const OTHERS = [
  `javascript:${CALL}`,
  `JaVaScRiPt:${CALL}`,
  ` javascript:${CALL}`,
  `java\tscript:${CALL}`,
  `data:text/html,<script>${CALL}</script>`,
  `data:text/html;base64,PHNjcmlwdD5oYWNrZWQoKTwvc2NyaXB0Pg==`,
  `vbscript:${CALL}`,
  `';${CALL};//`,
  `";${CALL};//`,
  `\${${CALL}}`,
  `{{constructor.constructor('${CALL}')()}}`,
  `\`;${CALL};\``,
  `\\u003cscript\\u003e${CALL}\\u003c/script\\u003e`,
  `&lt;script&gt;${CALL}&lt;/script&gt;`,
  `%3Cscript%3E${CALL}%3C/script%3E`,
  `" onmouseover=${CALL} x="`,
  `' autofocus onfocus=${CALL} x='`,
  `expression(${CALL})`,
  `</style><script>${CALL}</script>`,
  `<!--[if IE]><script>${CALL}</script><![endif]-->`,
  `<scr<script>ipt>${CALL}</scr</script>ipt>`,
  `<ScRiPt>${CALL}</sCrIpT>`,
  `<img/src/onerror=${CALL}>`,
  `<svg/onload=${CALL}//`,
  `<%00script>${CALL}</script>`,
];

/** All of them, each once; printable ASCII but for one with a tab. */
export const HOSTILE: readonly string[] = [
  ...ESCAPES.flatMap((way) => MARKUP.map((markup) => way + markup)),
  ...OTHERS,
];

/** Those of one line that can be ids of documents. */
export const HOSTILE_IDS: readonly string[] = HOSTILE.filter((text) => /^[\x20-\x7e]+$/.test(text));

/** Several in each text, as many as fit: for names, of which there are few. */
export function packed(texts: readonly string[], charsMax: number): string[] {
  const names: string[] = [];
  for (const text of texts) {
    const last = names.at(-1);
    if (last !== undefined && last.length + text.length < charsMax)
      names[names.length - 1] = `${last} ${text}`;
    else names.push(text);
  }
  return names;
}
