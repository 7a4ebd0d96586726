import type { Issue } from '@reticle/sdk'
import { Link } from 'wouter'
import { Dialog } from '../../ui/dialog.tsx'
import { Time } from '../../ui/time.tsx'
import { CommentForm } from './comment-form.tsx'
import { Comments } from './comments.tsx'
import { Resolve } from './resolve.tsx'

interface Props {
  task: number
  issue: Issue
  onClose: () => void
}

/** Shows all comments of an issue, with a form to add one. */
export function IssueDialog({ task, issue, onClose }: Props) {
  const { id, frame, job, owner, created_date } = issue
  return (
    <Dialog title={`Issue ${id}`} onClose={onClose}>
      <p>
        <Link href={`/tasks/${task}/frames/${frame}`}>Frame {frame}</Link> of{' '}
        <Link href={`/jobs/${job}`}>job {job}</Link>, by {owner?.username ?? 'somebody who left'}{' '}
        <Time value={created_date} />: <Resolve issue={issue} />
      </p>
      <Comments issue={id} />
      <CommentForm issue={id} />
    </Dialog>
  )
}
