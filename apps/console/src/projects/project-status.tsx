import type { Project } from '@reticle/sdk'
import { Failure } from '../ui/failure.tsx'
import { WordChoice } from '../ui/word-choice.tsx'
import { statuses } from './statuses.ts'
import { useProjectChange } from './use-project-change.ts'

/** Shows the status of the project, with a way to change it. */
export function ProjectStatus({ project }: { project: Project }) {
  const { mutate, isPending, variables, error } = useProjectChange(project)
  const { status } = project
  return (
    <>
      <WordChoice
        label="Status of the project"
        words={statuses}
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
