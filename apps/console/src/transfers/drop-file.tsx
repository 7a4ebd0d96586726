import { useId, useState } from 'react'
import { bytesText } from '../requests/words.ts'

interface Props {
  label: string
  /** Endings of names, for the choice of the browser: `.zip,.json`. */
  accept: string
  file: File | undefined
  onFile: (file: File) => void
}

/** Takes a file that is dropped or chosen. */
export function DropFile({ label, accept, file, onFile }: Props) {
  const id = useId()
  const [isOver, setIsOver] = useState(false)
  const take = (files: FileList | null) => {
    const [first] = files ?? []
    if (first) onFile(first)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is beside choosing, which the keyboard does
    <div
      className="drop"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        take(event.dataTransfer.files)
      }}
    >
      <label htmlFor={id}>{label}</label>
      <input id={id} type="file" accept={accept} onChange={({ target }) => take(target.files)} />
      <span className="hint">
        {file ? `${file.name}, ${bytesText(file.size)}` : 'Drop it here, or choose it.'}
      </span>
    </div>
  )
}
