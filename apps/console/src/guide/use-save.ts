import type { Guide } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { queries, useChange } from '../api/queries.ts'
import { recordTag } from '../api/tags.ts'
import { useToast } from '../ui/toasts.tsx'

interface Saved {
  /** As it was read; none yet: the first save makes it. */
  guide: Guide | undefined
  owner: { task_id: number } | { project_id: number }
}

/** Saves the text of a guide, unless somebody else did meanwhile, and says so with a way back. */
export function useSave({ guide, owner }: Saved, onDone: () => void) {
  const toast = useToast()
  const put = (read: Guide, markdown: string) =>
    api.updateGuide({ id: read.id, if_match: recordTag(read), body: { markdown } })
  return useChange(async (markdown: string) => {
    if (guide) {
      const saved = await put(guide, markdown)
      const undo = () => put(saved, guide.markdown).then(() => queries.invalidateQueries())
      toast({ text: 'The guide is saved', undo })
    } else {
      await api.createGuide({ body: { ...owner, markdown } })
      toast({ text: 'The guide is there' })
    }
    onDone()
  })
}
