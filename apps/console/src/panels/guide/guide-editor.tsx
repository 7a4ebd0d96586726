import type { Guide } from '@reticle/sdk'
import { useEffect, useId, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { callTagged, type TaggedRecord } from '../../api/tagged.ts'
import { Failure } from '../../ui/failure.tsx'
import { AddPicture } from './add-picture.tsx'
import { LazyMarkdown } from './lazy-markdown.tsx'
import { useSave } from './use-save.ts'

/** Creates an empty guide and reads it with its entity tag. */
async function createGuide(owner: Props['owner']): Promise<TaggedRecord<Guide>> {
  const { id } = await api.createGuide({ body: owner })
  return callTagged('getGuide', { id })
}

interface Props {
  /** Undefined before the first save, which creates the guide. */
  guide: TaggedRecord<Guide> | undefined
  owner: { task_id: number } | { project_id: number }
  onClose: () => void
}

/** Shows an editor for a guide with a preview. */
export function GuideEditor({ guide, owner, onClose }: Props) {
  const [text, setText] = useState(guide?.record.markdown ?? '')
  const [known, setKnown] = useState(guide)
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => area.current?.focus(), [])
  const id = useId()
  const save = useSave({ guide: known, owner }, onClose)
  const insert = (link: string) => {
    const at = area.current?.selectionStart ?? text.length
    setText(`${text.slice(0, at)}${link}${text.slice(at)}`)
  }
  return (
    <>
      <div className="editor">
        <div className="field">
          <label htmlFor={id}>Markdown</label>
          <textarea
            ref={area}
            id={id}
            value={text}
            rows={20}
            onChange={({ target }) => setText(target.value)}
          />
        </div>
        <section aria-label="Preview">
          <LazyMarkdown text={text} />
        </section>
      </div>
      {save.error && <Failure error={save.error} />}
      <div className="actions">
        <button
          type="button"
          className="primary"
          disabled={save.isPending}
          onClick={() => save.mutate(text)}
        >
          Save
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <AddPicture
          guideId={async () => {
            const there = known ?? (await createGuide(owner))
            setKnown(there)
            return there.record.id
          }}
          onAdded={insert}
        />
      </div>
    </>
  )
}
