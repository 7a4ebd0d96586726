import { useLayoutEffect, useRef } from 'react'
import { renderMarkdown } from './render-markdown.ts'

/** Shows markdown as cleaned elements; no HTML is parsed here. */
export function Markdown({ text }: { text: string }) {
  const container = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => container.current?.replaceChildren(renderMarkdown(text)), [text])
  return <div ref={container} className="guide" />
}
