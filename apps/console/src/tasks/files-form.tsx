import { useState } from 'react'
import { DropZone } from './files/drop-zone.tsx'
import type { FileSelection } from './files/selected-files.ts'
import { MediaFields, mediaOf } from './upload/media-options.tsx'
import type { TaskUpload } from './upload/phase.ts'

/** Renders a form for the files of a task without data; interrupted uploads resume. */
export function FilesForm({ onSubmit }: { onSubmit: (upload: TaskUpload) => void }) {
  const [choice, setChoice] = useState<FileSelection>()
  return (
    <form
      className="sheet"
      onSubmit={(event) => {
        event.preventDefault()
        const media = mediaOf(new FormData(event.currentTarget))
        if (choice) onSubmit({ media, sources: choice.sources })
      }}
    >
      <DropZone choice={choice} onChoose={setChoice} />
      <MediaFields isTaskNew={false} />
      <button type="submit" className="primary" disabled={!choice || choice.sources.length === 0}>
        Send the files
      </button>
    </form>
  )
}
