import type { Task } from '@reticle/sdk'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { Manage } from '../records/manage.tsx'
import { Transfers } from '../requests/transfers/transfers.tsx'

/** Renders the buttons for the actions on a task. */
export function TaskActions({ task: { id, name, size } }: { task: Task }) {
  return (
    <>
      {size === 0 ? (
        <Link className="button primary" href={`/tasks/new?task=${id}`}>
          Send its files
        </Link>
      ) : (
        <Transfers kind="task" id={id} name={name} />
      )}
      <Manage
        what="task"
        name={name}
        list="/tasks"
        rename={(newName) => api.updateTask({ id, body: { name: newName } })}
        remove={() => api.deleteTask({ id })}
      >
        <p>Its frames, jobs and annotations go with it. This cannot be undone.</p>
      </Manage>
    </>
  )
}
