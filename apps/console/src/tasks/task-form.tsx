import { useState } from 'react'
import { type LabelEditorState, noLabels, toLabelWrites } from '../labels/draft.ts'
import { errorsOf } from '../labels/errors.ts'
import { LabelsEditor } from '../labels/labels-editor.tsx'
import { Failure } from '../ui/failure.tsx'
import { Field } from '../ui/field.tsx'
import { DropZone } from './files/drop-zone.tsx'
import type { FileSelection } from './files/selected-files.ts'
import { ProjectChoice } from './project-choice.tsx'
import { MediaFields, mediaOf, segmentOf } from './upload/media-options.tsx'
import type { TaskUpload } from './upload/phase.ts'

interface Props {
  /** Preselected project, when the user comes from its page. */
  projectId: number | undefined
  error: Error | undefined
  isPending: boolean
  onSubmit: (upload: TaskUpload) => void
}

/** Renders a form for a new task: files, name and labels. */
export function TaskForm({ projectId: led, error, isPending, onSubmit }: Props) {
  const [choice, setChoice] = useState<FileSelection>()
  const [typed, setTyped] = useState<string>() // replaces the name that the files suggest
  const [projectId, setProjectId] = useState(led)
  const [labels, setLabels] = useState<LabelEditorState>(noLabels)
  const [mistake, setMistake] = useState<Error>()
  const name = typed ?? choice?.name ?? ''
  const errorsAt = errorsOf(error)
  const submit = (form: FormData) => {
    if (!choice || choice.sources.length === 0) throw new Error('Drop or choose the files first.')
    const of = projectId ? { project_id: projectId } : { labels: toLabelWrites(labels) }
    const task = { name, ...of, ...segmentOf(form) }
    onSubmit({ task, media: mediaOf(form), sources: choice.sources })
  }
  return (
    <form
      className="sheet"
      onSubmit={(event) => {
        event.preventDefault()
        setMistake(mistakeOf(() => submit(new FormData(event.currentTarget))))
      }}
    >
      <DropZone choice={choice} onChoose={setChoice} />
      <Field
        label="Name"
        required
        value={name}
        errors={errorsAt('name')}
        onChange={({ target }) => setTyped(target.value)}
      />
      <ProjectChoice value={projectId} onChoose={setProjectId} />
      {projectId === undefined && (
        <LabelsEditor value={labels} onChange={setLabels} errorsAt={errorsAt} />
      )}
      <MediaFields isTaskNew />
      {(mistake ?? error) && <Failure error={mistake ?? error ?? new Error()} />}
      <button type="submit" className="primary" disabled={isPending}>
        Create the task
      </button>
    </form>
  )
}

function mistakeOf(action: () => void): Error | undefined {
  try {
    action()
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown))
  }
  return undefined
}
