import { useState } from 'react'
import type { Choice } from './files/chosen.ts'
import { DropZone } from './files/drop-zone.tsx'
import { MediaFields, mediaOf } from './upload/media-options.tsx'
import type { Wish } from './upload/phase.ts'

/** Renders a form for the files of a task without data; interrupted uploads resume. */
export function FilesForm({ onSubmit }: { onSubmit: (wish: Wish) => void }) {
  const [choice, setChoice] = useState<Choice>()
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
