import { useEffect, useRef, useState } from 'react'

interface Props {
  src: string
  /** What is only flown over is not asked for. */
  isWaiting: boolean
}

const attempts = 4
const pauseMs = 700

/** A small picture, asked for once the eye rests on it; when the service is busy it is asked for again. */
export function Picture({ src, isWaiting }: Props) {
  const [isWanted, setIsWanted] = useState(!isWaiting)
  const [attempt, setAttempt] = useState(1)
  if (!isWaiting && !isWanted) setIsWanted(true)
  if (!isWanted) return null
  if (attempt > attempts) return <span className="hint">no picture</span>
  const again = () => setTimeout(() => setAttempt(attempt + 1), pauseMs * attempt)
  return <Loaded key={attempt} src={src} onError={again} />
}

/** Without an address it is asked for no longer: else what has left the window would come before what is in it. */
function Loaded({ src, onError }: { src: string; onError: () => void }) {
  const image = useRef<HTMLImageElement>(null)
  useEffect(() => {
    const shown = image.current
    if (shown) shown.src = src
    return () => shown?.removeAttribute('src')
  }, [src])
  return <img ref={image} alt="" draggable={false} onError={onError} />
}
