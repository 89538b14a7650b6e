/** Renders Markdown as the content of a page of the documentation. */
import { posix } from 'node:path';
import highlight from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import json from 'highlight.js/lib/languages/json';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import MarkdownIt from 'markdown-it';
import { relativePath, type SitePage } from './site-pages.ts';

for (const [names, language] of [
  [['ts', 'tsx', 'js', 'jsx'], typescript],
  [['sh', 'bash'], bash],
  [['json'], json],
  [['html', 'xml'], xml],
] as const)
  for (const name of names) highlight.registerLanguage(name, language);

export interface Heading {
  readonly id: string;
  readonly level: number;
  readonly text: string;
}

/** A part of a page under one heading. */
interface Section {
  /** Empty for the part before the first heading of the second level. */
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

export interface RenderedPage {
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
  /** Paths of files that the page shows, relative to the root of the repository. */
  readonly files: readonly string[];
}

/** Returns the id of a heading: the same as in other renderers of Markdown. */
const idOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

const IMAGE = /\.(svg|png)$/;

/**
 * Renders a page. Links to Markdown files lead to their pages. A link to a file that isn't on the
 * site becomes text.
 * @param pathsBySource the paths of all pages by their sources
 */
export function renderPage(page: SitePage, pathsBySource: ReadonlyMap<string, string>): RenderedPage {
  const files = new Set<string>();
  const headings: Heading[] = [];
  const sections: { id: string; heading: string; text: string }[] = [{ id: '', heading: '', text: '' }];
  const markdown = new MarkdownIt({ html: true, linkify: false, highlight: highlighted });

  /** Returns the relative address of a link; undefined if the site lacks its target. */
  const addressOf = (link: string): string | undefined => {
    if (/^(https?:|mailto:|#)/.test(link)) return link;
    const [target = '', fragment] = link.split('#');
    const source = posix.join(posix.dirname(page.source), target);
    const hash = fragment === undefined ? '' : `#${fragment}`;
    const path = pathsBySource.get(source);
    if (path !== undefined) return relativePath(page.path, path) + hash;
    if (!IMAGE.test(source)) return undefined;
    files.add(source);
    return relativePath(page.path, filePathOf(source));
  };

  const tokens = markdown.parse(page.markdown.replace(/^# .+\n/, ''), {});
  const ids = new Map<string, number>();
  tokens.forEach((token, at) => {
    const inline = tokens[at + 1];
    if (token.type === 'heading_open' && inline !== undefined) {
      const text = (inline.children ?? []).map(({ content }) => content).join('');
      const base = idOf(text);
      const count = ids.get(base) ?? 0;
      ids.set(base, count + 1);
      const id = count === 0 ? base : `${base}-${count}`;
      token.attrSet('id', id);
      headings.push({ id, level: Number(token.tag.slice(1)), text });
      sections.push({ id, heading: text, text: '' });
    } else if (token.type === 'inline' && tokens[at - 1]?.type !== 'heading_open') {
      const section = sections.at(-1);
      if (section) section.text += `${(token.children ?? []).map(({ content }) => content).join('')} `;
    }
    if (token.type === 'table_open') token.attrSet('class', 'wide');
    for (const child of token.children ?? []) {
      if (child.type === 'image') child.attrSet('src', addressOf(String(child.attrGet('src'))) ?? '');
      if (child.type !== 'link_open') continue;
      const address = addressOf(String(child.attrGet('href')));
      if (address === undefined) child.attrs = null;
      else child.attrSet('href', address);
    }
    if (token.type === 'html_block')
      token.content = token.content.replaceAll(
        /\b(src|srcset)="([^"]+)"/g,
        (_, name: string, link: string) => `${name}="${addressOf(link) ?? link}"`,
      );
  });
  const html = markdown.renderer.render(tokens, markdown.options, {});
  return { html, headings, sections, files: [...files] };
}

/** Returns the path below `docs/` of an image. */
export const filePathOf = (source: string): string => source.replace(/^docs\//, '');

function highlighted(code: string, language: string): string {
  return highlight.getLanguage(language) ? highlight.highlight(code, { language }).value : '';
}
