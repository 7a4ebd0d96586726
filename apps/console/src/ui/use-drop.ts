import { type DragEvent, useState } from 'react'

/** Takes what is dropped on an element, which gets the second half of the answer. @returns whether something is held over it */
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
