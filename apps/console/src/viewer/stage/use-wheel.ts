import { type RefObject, useEffect, useEffectEvent } from 'react'
import type { Point } from '../geometry/view.ts'

/** Of one notch of most wheels, in CSS pixels; it makes the picture a fifth larger. */
const notch = 100
const perNotch = 1.2

/** The wheel zooms about the pointer. React's own listener could not keep the page from scrolling. */
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
