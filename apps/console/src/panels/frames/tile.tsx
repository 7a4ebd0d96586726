import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { Picture } from './picture.tsx'

/** Position of a tile in its grid. */
export interface TilePosition {
  index: number
  count: number
  isWaiting: boolean
  /** Whether the tile has the keyboard focus. */
  isHere: boolean
}

interface Props extends TilePosition {
  /** Address of the viewer. */
  href: string
  src: string
  /** Frame number in the task. */
  number: number
  /** File name, if known. */
  name?: string | undefined
}

/** Renders a tile of a frame: its picture and number, linked to the viewer. */
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
