import { type RefObject, useLayoutEffect, useState } from 'react'
import type { Screen } from '../drawing/layer.ts'

const unknown: Screen = { width: 1, height: 1, density: 1 }

/** Returns the size of an element. */
export function useScreen(element: RefObject<HTMLElement | null>): Screen {
  const [screen, setScreen] = useState(unknown)
  useLayoutEffect(() => {
    if (!element.current) return
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return
      const { width, height } = entry.contentRect
      setScreen({
        width: Math.max(1, Math.floor(width)),
        height: Math.max(1, Math.floor(height)),
        density: devicePixelRatio,
      })
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return screen
}
