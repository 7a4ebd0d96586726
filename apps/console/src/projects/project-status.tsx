import type { Project, ProjectPatch } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { queries, useChange } from '../api/queries.ts'
import { Failure } from '../ui/feedback.tsx'
import { WordChoice } from '../ui/form.tsx'
import { useToast } from '../ui/toasts.tsx'

export function ProjectStatus({ project }: { project: Project }) {
  const { mutate, isPending, variables, error } = useProjectChange(project)
  const { status } = project
  return (
    <>
      <WordChoice
        label="Status of the project"
        words={projectStatuses}
        value={isPending ? (variables.body.status ?? status) : status}
        onChoose={(word) =>
          mutate({
            body: { status: word },
            back: { status },
            text: `The status is ${word} now.`,
          })
        }
      />
      {error && <Failure error={error} />}
    </>
  )
}

interface ProjectEdit {
  body: ProjectPatch
  /** Patch that undoes the change. */
  back: ProjectPatch
  /** Text of the notification. */
  text: string
}

/** Changes a project and offers to undo it. */
function useProjectChange({ id }: Project, onDone?: () => void) {
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

/** Statuses of a project. */
export const projectStatuses = ['annotation', 'validation', 'completed'] as const
