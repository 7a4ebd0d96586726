import type { Project, ProjectPatch } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { queries, useChange } from '../api/queries.ts'
import { useToast } from '../ui/toasts.tsx'

export interface ProjectEdit {
  body: ProjectPatch
  /** Patch that undoes the change. */
  back: ProjectPatch
  /** Text of the notification. */
  text: string
}

/** Changes a project and offers to undo it. */
export function useProjectChange({ id }: Project, onDone?: () => void) {
  const toast = useToast()
  return useChange(async ({ body, back, text }: ProjectEdit) => {
    await api.updateProject({ id, body })
    onDone?.()
    toast({
      text,
      undo: async () => {
        await api.updateProject({ id, body: back })
        await queries.invalidateQueries()
      },
    })
  })
}
