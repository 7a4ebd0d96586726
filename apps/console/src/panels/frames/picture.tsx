import { useEffect, useRef, useState } from 'react'

interface Props {
  src: string
  /** Whether scrolling is in progress, during which no picture is loaded. */
  isWaiting: boolean
}

const attempts = 4
const pauseMs = 700

/** Renders a thumbnail, loaded once scrolling stops, with retries when the service is busy. */
export function Picture({ src, isWaiting }: Props) {
  const [isWanted, setIsWanted] = useState(!isWaiting)
  const [attempt, setAttempt] = useState(1)
  if (!isWaiting && !isWanted) setIsWanted(true)
  if (!isWanted) return null
  if (attempt > attempts) return <span className="hint">no picture</span>
  const again = () => setTimeout(() => setAttempt(attempt + 1), pauseMs * attempt)
  return <Loaded key={attempt} src={src} onError={again} />
}

/**
 * Removes the address on unmount to cancel loading; otherwise pictures that scrolled out of view would load before
 * visible ones.
 */
function Loaded({ src, onError }: { src: string; onError: () => void }) {
  const image = useRef<HTMLImageElement>(null)
  useEffect(() => {
    const shown = image.current
    if (shown) shown.src = src
    return () => shown?.removeAttribute('src')
  }, [src])
  return <img ref={image} alt="" draggable={false} onError={onError} />
}
