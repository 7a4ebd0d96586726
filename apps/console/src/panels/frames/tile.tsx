import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'

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

interface PictureProps {
  src: string
  /** Whether scrolling is in progress, during which no image is loaded. */
  isWaiting: boolean
}

const attempts = 4
const pauseMs = 700

/** Renders a thumbnail, loaded once scrolling stops, with retries when the service is busy. */
function Picture({ src, isWaiting }: PictureProps) {
  const [isWanted, setIsWanted] = useState(!isWaiting)
  const [attempt, setAttempt] = useState(1)
  if (!isWaiting && !isWanted) setIsWanted(true)
  if (!isWanted) return null
  if (attempt > attempts) return <span className="hint">no image</span>
  const again = () => setTimeout(() => setAttempt(attempt + 1), pauseMs * attempt)
  return <CancellableImage key={attempt} src={src} onError={again} />
}

/**
 * Removes the address on unmount to cancel loading; otherwise pictures that scrolled out of view would load before
 * visible ones.
 */
function CancellableImage({ src, onError }: { src: string; onError: () => void }) {
  const image = useRef<HTMLImageElement>(null)
  useEffect(() => {
    const shown = image.current
    if (shown) shown.src = src
    return () => shown?.removeAttribute('src')
  }, [src])
  return <img ref={image} alt="" draggable={false} onError={onError} />
}
