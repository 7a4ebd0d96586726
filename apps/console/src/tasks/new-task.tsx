import { useId, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { api } from '../api/client.ts'
import { useAnswer, useScoped } from '../api/queries.ts'
import { type LabelEditorState, noLabels, toLabelWrites } from '../labels/draft.ts'
import { LabelsEditor } from '../labels/labels-editor.tsx'
import { Failure } from '../ui/feedback.tsx'
import { errorsOf, Field } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import type { TaskUpload } from './upload/create-task.ts'
import { DropZone } from './upload/drop-zone.tsx'
import { MediaFields, mediaOf, segmentOf } from './upload/media-options.tsx'
import type { FileSelection } from './upload/selected-files.ts'
import { UploadPanel } from './upload/upload-panel.tsx'
import { useTaskUpload } from './upload/use-task-upload.ts'
import './new-task.css'

/**
 * Page to create a task from dropped files. Query parameters: `project`, the project of the task; `task`, an empty
 * task whose upload starts or resumes.
 */
export function NewTask() {
  const [params] = useSearchParams()
  const [project, task] = [idIn(params, 'project'), idIn(params, 'task')]
  return <TaskCreation key={task} projectId={project} known={task} />
}

function idIn(params: URLSearchParams, name: string): number | undefined {
  return Number(params.get(name)) || undefined
}

interface Props {
  projectId: number | undefined
  known: number | undefined
}

function TaskCreation({ projectId, known }: Props) {
  const [, go] = useLocation()
  const [submitted, setSubmitted] = useState<TaskUpload>()
  const upload = useTaskUpload(known, (id) => go(`/tasks/${id}`, { replace: true }))
  const { phase, taskId, cancel } = upload
  const start = (next: TaskUpload) => {
    setSubmitted(next)
    void upload.start(next)
  }
  const isForm = submitted === undefined || taskId === undefined
  return (
    <Page
      title={
        isForm ? (known ? `Files of task ${known}` : 'New task') : (submitted.task?.name ?? 'Files')
      }
      above={<Link href="/tasks">Tasks</Link>}
    >
      {isForm && known && <FilesForm onSubmit={start} />}
      {isForm && !known && (
        <TaskForm
          projectId={projectId}
          error={phase.name === 'failed' ? phase.error : undefined}
          isPending={phase.name === 'creating'}
          onSubmit={start}
        />
      )}
      {!isForm && (
        <UploadPanel
          taskId={taskId}
          phase={phase}
          onCancel={cancel}
          onRetry={() => start(submitted)}
        />
      )}
    </Page>
  )
}

interface TaskFormProps {
  /** Project whose page links here; preselected. */
  projectId: number | undefined
  error: Error | undefined
  isPending: boolean
  onSubmit: (upload: TaskUpload) => void
}

function TaskForm({ projectId: preselected, error, isPending, onSubmit }: TaskFormProps) {
  const [choice, setChoice] = useState<FileSelection>()
  const [typed, setTyped] = useState<string>() // replaces the name that the files suggest
  const [projectId, setProjectId] = useState(preselected)
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

/** Renders a form for the files of a task without data; interrupted uploads resume. */
function FilesForm({ onSubmit }: { onSubmit: (upload: TaskUpload) => void }) {
  const [choice, setChoice] = useState<FileSelection>()
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
        Upload the files
      </button>
    </form>
  )
}

interface ProjectChoiceProps {
  value: number | undefined
  onChoose: (projectId: number | undefined) => void
}

/** Renders a field to select the project of a task, among the recently changed ones and the preselected one. */
function ProjectChoice({ value, onChoose }: ProjectChoiceProps) {
  const id = useId()
  const { data } = useScoped(api.listProjects, { sort: '-updated_date', page_size: 100 })
  const listed = data?.results ?? []
  const isElsewhere = value !== undefined && !listed.some((one) => one.id === value)
  const { data: other } = useAnswer(api.getProject, { id: value ?? 0 }, { enabled: isElsewhere })
  if (!data?.count && value === undefined) return null
  return (
    <div className="field">
      <label htmlFor={id}>Project</label>
      <select
        id={id}
        value={value ?? ''}
        onChange={({ target }) => onChoose(Number(target.value) || undefined)}
      >
        <option value="">none: the task has its own labels</option>
        {isElsewhere && <option value={value}>{other?.name ?? `project ${value}`}</option>}
        {listed.map((project) => (
          <option key={project.id} value={project.id}>
            {project.name}
          </option>
        ))}
      </select>
    </div>
  )
}
