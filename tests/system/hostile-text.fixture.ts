/**
 * Texts that a page would run if it treated them as markup, addresses or scripts. Each text calls
 * `hacked()`, and tests report such calls.
 */
const CALL = 'hacked()';

/** Markup that runs a script. */
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

/** Prefixes that end an attribute, a text element, a comment or a script. */
const ESCAPES = ['', '">', "'>", '</title></textarea></script>', '--><!-- -->', ']]>'];

/** Script addresses, code, and obfuscated markup. */
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

/**
 * All hostile texts without duplicates. They are printable ASCII, except one that contains a tab.
 */
export const HOSTILE: readonly string[] = [
  ...ESCAPES.flatMap((way) => MARKUP.map((markup) => way + markup)),
  ...OTHERS,
];

/** The texts that are valid document ids. */
export const HOSTILE_IDS: readonly string[] = HOSTILE.filter((text) => /^[\x20-\x7e]+$/.test(text));

/**
 * Joins the texts into fewer, longer texts of at most `charsMax` characters. Tests use the longer
 * texts as names, because a test creates only a few names.
 */
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
