import createPurifier from 'dompurify'
import { Marked } from 'marked'
import { useLayoutEffect, useRef } from 'react'
import { shownHtml } from './raw-html.ts'

/** Shows markdown as cleaned elements; no HTML is parsed here. */
export function Markdown({ text }: { text: string }) {
  const container = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => container.current?.replaceChildren(renderMarkdown(text)), [text])
  return <div ref={container} className="guide" />
}

/** Allowed tags: those of markdown. Nothing may run scripts, call other servers or imitate parts of the page. */
const tags = [
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'p',
  'a',
  'img',
  'ul',
  'ol',
  'li',
  'blockquote',
  'pre',
  'code',
  'em',
  'strong',
  'del',
  'hr',
  'br',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'b',
  'i',
  'u',
  's',
  'sub',
  'sup',
  'kbd',
  'mark',
]
const attributes = ['href', 'src', 'alt', 'title', 'align', 'start']

const parser = new Marked({ gfm: true, renderer: { html: ({ text }) => shownHtml(text) } })
const purifier = createPurifier(window)
purifier.addHook('afterSanitizeAttributes', (element) => {
  if (element.tagName === 'IMG' && !isAsset(element.getAttribute('src'))) element.remove()
  if (element.tagName !== 'A') return
  element.setAttribute('target', '_blank')
  element.setAttribute('rel', 'noopener noreferrer')
})

/** Pictures must be assets of this server, so that no other server learns of readers. */
function isAsset(address: string | null): boolean {
  const url = URL.parse(address ?? '', location.href)
  return url?.origin === location.origin && url.pathname.startsWith('/api/assets/')
}

/** Converts the markdown of a guide to elements that are safe to show, even if the author is not trusted. */
function renderMarkdown(markdown: string): DocumentFragment {
  const html = parser.parse(markdown, { async: false })
  return purifier.sanitize(html, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: attributes,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  })
}
