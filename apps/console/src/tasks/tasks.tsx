import { Link } from 'wouter'
import { Page } from '../ui/page.tsx'
import { TaskList } from './task-list.tsx'

/** The tasks of the workspace. */
export function Tasks() {
  return (
    <Page
      title="Tasks"
      actions={
        <Link className="button primary" href="/tasks/new">
          New task
        </Link>
      }
    >
      <TaskList />
    </Page>
  )
}
