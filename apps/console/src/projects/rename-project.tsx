import type { Project } from '@reticle/sdk'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { errorsOf } from './labels/errors.ts'
import { useProjectChange } from './use-project-change.ts'

interface Props {
  project: Project
  onClose: () => void
}

/** Another name for a project. */
export function RenameProject({ project, onClose }: Props) {
  const { mutate, error, isPending } = useProjectChange(project, onClose)
  return (
    <Dialog title="Rename the project" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const name = formText(new FormData(event.currentTarget), 'name')
          mutate({
            body: { name },
            back: { name: project.name },
            text: `It is called ${name} now.`,
          })
        }}
      >
        <Field
          label="Name"
          name="name"
          required
          autoFocus
          defaultValue={project.name}
          errors={errorsOf(error)('name')}
        />
        {error && <Failure error={error} />}
        <button type="submit" className="primary" disabled={isPending}>
          Rename
        </button>
      </form>
    </Dialog>
  )
}
