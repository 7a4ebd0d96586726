import { useEffect, useRef, useState } from 'react'
import { bytesText } from '../../ui/bytes.ts'
import { useDrop } from '../../ui/drop.tsx'
import { entriesOf, findDroppedFiles } from './dropped-files.ts'
import {
  createFileSelection,
  type FileSelection,
  readSelectedFiles,
  type SelectedFile,
} from './selected-files.ts'

interface Props {
  choice: FileSelection | undefined
  onChoose: (choice: FileSelection) => void
}

/** Renders an area to drop files and folders on, with buttons to choose them by keyboard. */
export function DropZone({ choice, onChoose }: Props) {
  const [found, setFound] = useState<number>()
  const [wrong, setWrong] = useState<string>()
  const take = async (chosen: Promise<SelectedFile[]>) => {
    setWrong(undefined)
    await chosen.then(
      (all) => onChoose(createFileSelection(all)),
      (thrown: Error) => setWrong(`The files could not be read: ${thrown.message}`),
    )
    setFound(undefined)
  }
  const [isOver, handlers] = useDrop(
    (given) => void take(findDroppedFiles(entriesOf(given), setFound)),
  )
  return (
    <section className="drop-zone" aria-label="Files" data-over={isOver} {...handlers}>
      <p className="big">Drop a folder or files here</p>
      <div className="actions">
        <Picker
          text="Choose a folder"
          isFolder
          onPick={(files) => void take(readSelectedFiles(files, setFound))}
        />
        <Picker
          text="Choose files"
          onPick={(files) => void take(readSelectedFiles(files, setFound))}
        />
      </div>
      <p className="hint">Images, a video, an archive or a PDF.</p>
      {wrong && <p className="wrong">{wrong}</p>}
      <p role="status">
        {found === undefined
          ? choice && selectionText(choice)
          : `Reading the folder: ${found} files`}
      </p>
    </section>
  )
}

function selectionText({ sources, size, leftOut }: FileSelection): string {
  const files = sources.length === 1 ? 'one file' : `${sources.length.toLocaleString()} files`
  const rest = leftOut > 0 ? `; ${leftOut} hidden files are skipped` : ''
  return `${files}, ${bytesText(size)}${rest}`
}

interface PickerProps {
  text: string
  isFolder?: boolean
  onPick: (files: File[]) => void
}

/** Renders a button for the browser's file field, which lacks a text for folders. */
function Picker({ text, isFolder = false, onPick }: PickerProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    input.current?.toggleAttribute('webkitdirectory', isFolder) // not known to React's types
  }, [isFolder])
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        {text}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        aria-label={text}
        onChange={({ target }) => {
          const chosen = [...(target.files ?? [])]
          target.value = '' // allows choosing the same files again
          if (chosen.length > 0) onPick(chosen)
        }}
      />
    </>
  )
}
