import { useLayoutEffect, useRef } from 'react'
import { cleaned } from './clean.ts'

/** Shows markdown as cleaned elements; no HTML is parsed here. */
export function Markdown({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => place.current?.replaceChildren(cleaned(text)), [text])
  return <div ref={place} className="guide" />
}
