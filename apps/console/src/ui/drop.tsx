import { type DragEvent, useId, useState } from 'react'
import { bytesText } from './bytes.ts'

interface Props {
  label: string
  /** Accepted file extensions for the file dialog: `.zip,.json`. */
  accept: string
  file: File | undefined
  onFile: (file: File) => void
}

export function DropFile({ label, accept, file, onFile }: Props) {
  const id = useId()
  const take = (files: FileList | null) => {
    const [first] = files ?? []
    if (first) onFile(first)
  }
  const [isOver, handlers] = useDrop(({ files }) => take(files))
  return (
    <div className="drop" data-over={isOver || undefined} {...handlers}>
      <label htmlFor={id}>{label}</label>
      <input id={id} type="file" accept={accept} onChange={({ target }) => take(target.files)} />
      <span className="hint">
        {file ? `${file.name}, ${bytesText(file.size)}` : 'Drop a file here, or choose one.'}
      </span>
    </div>
  )
}

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
