import { type DragEvent, useState } from 'react'

/**
 * Handles drops on an element. @returns whether something is dragged over it, and the event handlers of the element
 */
export function useDrop(onDrop: (given: DataTransfer) => void) {
  const [isOver, setIsOver] = useState(false)
  const handlers = {
    onDragOver(event: DragEvent) {
      event.preventDefault()
      setIsOver(true)
    },
    onDragLeave: () => setIsOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault()
      setIsOver(false)
      onDrop(event.dataTransfer)
    },
  }
  return [isOver, handlers] as const
}
