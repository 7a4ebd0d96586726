import { type PointerEvent, useRef } from 'react'
import type { Point } from '../geometry/view.ts'

interface Wishes {
  /** By so many CSS pixels, while the button is down. */
  onMove: (by: Point) => void
  /** Where the pointer is while no button is down; nothing when it left. */
  onPoint: (at: Point | undefined) => void
  onClick: (at: Point) => void
}

/** Whoever moves less than this meant to click, in CSS pixels. */
const still = 4

/** Handlers of an element that is dragged, pointed at and clicked. */
export function useDrag({ onMove, onPoint, onClick }: Wishes) {
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

/** From the corner of the element. */
function pointOf({ clientX, clientY, currentTarget }: PointerEvent): Point {
  const { left, top } = currentTarget.getBoundingClientRect()
  return { x: clientX - left, y: clientY - top }
}
