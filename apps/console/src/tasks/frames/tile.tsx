import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { Picture } from './picture.tsx'

/** What a tile has to know of its grid. */
export interface Place {
  index: number
  count: number
  isWaiting: boolean
  /** The keyboard is here. */
  isHere: boolean
}

interface Props extends Place {
  /** Where it is looked at in full. */
  href: string
  src: string
  /** Task-relative. */
  number: number
  /** Of its file, where it is known. */
  name?: string | undefined
}

/** One frame of a grid: its picture and its number, which lead to the frame. */
export function Tile({ index, count, href, src, number, name, isWaiting, isHere }: Props) {
  const tile = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isHere) tile.current?.querySelector('a')?.focus({ preventScroll: true })
  }, [isHere])
  return (
    <li ref={tile} data-index={index} aria-posinset={index + 1} aria-setsize={count}>
      <Link href={href} title={name}>
        <span className="picture">
          <Picture key={src} src={src} isWaiting={isWaiting} />
        </span>
        <span className="caption">
          <span className="hidden">Frame </span>
          {number} {name}
        </span>
      </Link>
    </li>
  )
}
