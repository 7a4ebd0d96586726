import type { Guide } from '@reticle/sdk'
import { useMutation } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useId, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { queries, useChange } from '../../api/queries.ts'
import { callTagged, type TaggedRecord } from '../../api/tagged-record.ts'
import { Failure, Loading } from '../../ui/feedback.tsx'
import { useToast } from '../../ui/toasts.tsx'

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

export function GuideEditor({ guide, owner, onClose }: Props) {
  const [text, setText] = useState(guide?.record.markdown ?? '')
  const [known, setKnown] = useState(guide)
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => area.current?.focus(), [])
  const id = useId()
  const save = useGuideSave({ guide: known, owner }, onClose)
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

interface SavedGuide {
  /** Guide as it was read; undefined before the first save, which creates it. */
  guide: TaggedRecord<Guide> | undefined
  owner: { task_id: number } | { project_id: number }
}

/** Saves the text of a guide unless it was changed meanwhile, and offers to undo the change. */
function useGuideSave({ guide, owner }: SavedGuide, onDone: () => void) {
  const toast = useToast()
  const put = ({ record, etag }: TaggedRecord<Guide>, markdown: string) =>
    callTagged('updateGuide', { id: record.id, if_match: etag, body: { markdown } })
  return useChange(async (markdown: string) => {
    if (guide) {
      const saved = await put(guide, markdown)
      const undo = () => put(saved, guide.record.markdown).then(() => queries.invalidateQueries())
      toast({ text: 'The guide is saved', undo })
    } else {
      await api.createGuide({ body: { ...owner, markdown } })
      toast({ text: 'The guide was created' })
    }
    onDone()
  })
}

interface AddPictureProps {
  /** Returns the id of the guide, which is created if necessary. */
  guideId: () => Promise<number>
  /** Called with the markdown of the picture. */
  onAdded: (link: string) => void
}

function AddPicture({ guideId, onAdded }: AddPictureProps) {
  const input = useRef<HTMLInputElement>(null)
  const add = useMutation({
    mutationFn: async (file: File) =>
      api.createAsset({ body: { guide_id: await guideId(), file } }),
    onSuccess: ({ uuid, filename }) => onAdded(`![${plain(filename)}](/api/assets/${uuid})`),
  })
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        accept="image/png,image/jpeg,image/webp,image/gif"
        aria-label="Picture file"
        onChange={({ target }) => {
          const file = target.files?.[0]
          if (file) add.mutate(file)
          target.value = ''
        }}
      />
      <button type="button" disabled={add.isPending} onClick={() => input.current?.click()}>
        Add a picture
      </button>
      {add.error && <Failure error={add.error} />}
    </>
  )
}

/** Brackets would end the name of a picture in markdown. */
const plain = (name: string) => name.replace(/[[\]\\]/g, ' ')

/** Loads the markdown parser on first use. */
const Markdown = lazy(() =>
  import('./markdown.tsx').then((module) => ({ default: module.Markdown })),
)

export function LazyMarkdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<Loading />}>
      <Markdown text={text} />
    </Suspense>
  )
}
