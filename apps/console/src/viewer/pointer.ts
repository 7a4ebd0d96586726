import { type PointerEvent, type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import type { Point } from './geometry/view.ts'

interface DragHandlers {
  /** Called with the movement in CSS pixels while the button is pressed. */
  onMove: (by: Point) => void
  /** Called with the pointer position while no button is pressed; undefined after the pointer left. */
  onPoint: (at: Point | undefined) => void
  onClick: (at: Point) => void
}

/** Maximum movement of a click, in CSS pixels. */
const still = 4

/** Returns event handlers for an element that can be dragged, pointed at and clicked. */
export function useDrag({ onMove, onPoint, onClick }: DragHandlers) {
  const press = useRef<{ last: Point; way: number }>(undefined)
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      press.current = { last: pointOf(event), way: 0 }
    },
    onPointerMove(event: PointerEvent) {
      const at = pointOf(event)
      if (!press.current) return onPoint(at)
      const by = { x: at.x - press.current.last.x, y: at.y - press.current.last.y }
      press.current = { last: at, way: press.current.way + Math.hypot(by.x, by.y) }
      if (press.current.way >= still) onMove(by)
    },
    onPointerUp(event: PointerEvent) {
      const pressed = press.current
      press.current = undefined
      if (pressed && pressed.way < still) onClick(pointOf(event))
    },
    onPointerCancel() {
      press.current = undefined
    },
    onPointerLeave() {
      onPoint(undefined)
    },
  }
}

/** Position relative to the corner of the element. */
function pointOf({ clientX, clientY, currentTarget }: PointerEvent): Point {
  const { left, top } = currentTarget.getBoundingClientRect()
  return { x: clientX - left, y: clientY - top }
}

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
