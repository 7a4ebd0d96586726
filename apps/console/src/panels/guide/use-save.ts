import type { Guide } from '@reticle/sdk'
import { api } from '../../api/client.ts'
import { queries, useChange } from '../../api/queries.ts'
import { callTagged, type TaggedRecord } from '../../api/tagged.ts'
import { useToast } from '../../ui/toasts.tsx'

interface SavedGuide {
  /** Guide as it was read; undefined before the first save, which creates it. */
  guide: TaggedRecord<Guide> | undefined
  owner: { task_id: number } | { project_id: number }
}

/** Saves the text of a guide unless it was changed meanwhile, and offers to undo the change. */
export function useSave({ guide, owner }: SavedGuide, onDone: () => void) {
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
      toast({ text: 'The guide is there' })
    }
    onDone()
  })
}
