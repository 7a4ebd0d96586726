import { type RefObject, useEffect, useEffectEvent } from 'react'
import type { Point } from '../geometry/view.ts'

/** Wheel movement of one notch of most mice, in CSS pixels; it zooms by a fifth. */
const notch = 100
const perNotch = 1.2

/** Zooms about the pointer with the wheel. Uses a native listener, because React's cannot prevent scrolling. */
export function useWheel(
  element: RefObject<HTMLElement | null>,
  zoom: (factor: number, at: Point) => void,
): void {
  const turn = useEffectEvent((event: WheelEvent) => {
    event.preventDefault()
    const { left, top } = (element.current ?? document.body).getBoundingClientRect()
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    const factor = perNotch ** ((-event.deltaY * lines) / notch)
    zoom(factor, { x: event.clientX - left, y: event.clientY - top })
  })
  useEffect(() => {
    const listened = element.current
    listened?.addEventListener('wheel', turn, { passive: false })
    return () => listened?.removeEventListener('wheel', turn)
  }, [element])
}
