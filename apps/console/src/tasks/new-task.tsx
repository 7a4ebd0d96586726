import './new-task.css'
import { useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { Page } from '../ui/page.tsx'
import { FilesForm } from './files-form.tsx'
import { TaskForm } from './task-form.tsx'
import type { TaskUpload } from './upload/phase.ts'
import { UploadPanel } from './upload/upload-panel.tsx'
import { useTaskUpload } from './upload/use-task-upload.ts'

/**
 * Page to create a task from dropped files. Query parameters: `project`, the project of the task; `task`, an empty
 * task whose upload starts or resumes.
 */
export function NewTask() {
  const [params] = useSearchParams()
  const [project, task] = [idIn(params, 'project'), idIn(params, 'task')]
  return <Making key={task} projectId={project} known={task} />
}

function idIn(params: URLSearchParams, name: string): number | undefined {
  return Number(params.get(name)) || undefined
}

interface Props {
  projectId: number | undefined
  known: number | undefined
}

function Making({ projectId, known }: Props) {
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
