import createPurifier from 'dompurify'
import { Marked } from 'marked'
import { shownHtml } from './raw-html.ts'

/** What markdown makes, and no more: nothing that runs, asks elsewhere or looks like a part of the page. */
const tags = [
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'a', 'img', 'ul', 'ol', 'li', 'blockquote', 'pre'],
  ...['code', 'em', 'strong', 'del', 'hr', 'br', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ...['b', 'i', 'u', 's', 'sub', 'sup', 'kbd', 'mark'],
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

/** Pictures are those of guides, on this server: none elsewhere hears who reads. */
function isAsset(address: string | null): boolean {
  const url = URL.parse(address ?? '', location.href)
  return url?.origin === location.origin && url.pathname.startsWith('/api/assets/')
}

/** The markdown of a guide as elements that can stand in a page, whoever wrote it. */
export function cleaned(markdown: string): DocumentFragment {
  const html = parser.parse(markdown, { async: false })
  return purifier.sanitize(html, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: attributes,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  })
}
