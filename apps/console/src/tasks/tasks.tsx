import { Link } from 'wouter'
import { ForMakers } from '../api/for-makers.tsx'
import { Restore } from '../requests/transfers/restore.tsx'
import { Page } from '../ui/page.tsx'
import { TaskList } from './task-list.tsx'

/** Renders the page with the tasks of the workspace. */
export function Tasks() {
  return (
    <Page
      title="Tasks"
      actions={
        <ForMakers>
          <Restore kind="task" />
          <Link className="button primary" href="/tasks/new">
            New task
          </Link>
        </ForMakers>
      }
    >
      <TaskList />
    </Page>
  )
}
