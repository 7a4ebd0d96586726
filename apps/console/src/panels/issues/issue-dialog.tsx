import type { Comment, Issue } from '@reticle/sdk'
import { type FormEvent, useId, useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { useAnswer, useChange } from '../../api/queries.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { errorText, Failure, Loading } from '../../ui/feedback.tsx'
import { formText } from '../../ui/form.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { Time } from '../../ui/values.tsx'

interface Props {
  task: number
  issue: Issue
  onClose: () => void
}

export function IssueDialog({ task, issue, onClose }: Props) {
  const { id, frame, job, owner, created_date } = issue
  return (
    <Dialog title={`Issue ${id}`} onClose={onClose}>
      <p>
        <Link href={`/tasks/${task}/frames/${frame}`}>Frame {frame}</Link> of{' '}
        <Link href={`/jobs/${job}`}>job {job}</Link>, by {owner?.username ?? 'a deleted user'}{' '}
        <Time value={created_date} />: <IssueState issue={issue} />
      </p>
      <Comments issue={id} />
      <CommentForm issue={id} />
    </Dialog>
  )
}

const perPage = 50

/** Shows the comments of an issue, oldest first, page by page. */
function Comments({ issue }: { issue: number }) {
  const [page, setPage] = useState(1)
  const input = { issue_id: issue, page, page_size: perPage, sort: 'id' }
  const { data, error } = useAnswer(api.listComments, input, { keeps: true })
  if (error) return <Failure error={error} />
  if (!data) return <Loading />
  return (
    <>
      <ol className="comments" aria-label="Comments">
        {data.results.map((comment) => (
          <CommentItem key={comment.id} comment={comment} />
        ))}
      </ol>
      {data.count > perPage && (
        <p>
          <button type="button" disabled={!data.previous} onClick={() => setPage(page - 1)}>
            Earlier
          </button>{' '}
          <button type="button" disabled={!data.next} onClick={() => setPage(page + 1)}>
            Later
          </button>{' '}
          {data.count} comments
        </p>
      )}
    </>
  )
}

function CommentItem({ comment: { owner, message, created_date } }: { comment: Comment }) {
  return (
    <li>
      <p className="hint">
        {owner?.username ?? 'Deleted user'}, <Time value={created_date} />
      </p>
      <p className="message">{message}</p>
    </li>
  )
}

function CommentForm({ issue }: { issue: number }) {
  const id = useId()
  const create = useChange(api.createComment)
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const message = formText(new FormData(form), 'message')
    create.mutate({ body: { issue, message } }, { onSuccess: () => form.reset() })
  }
  return (
    <form onSubmit={send}>
      <div className="field">
        <label htmlFor={id}>Comment</label>
        <textarea id={id} name="message" rows={3} maxLength={10_000} required />
      </div>
      {create.error && <Failure error={create.error} />}
      <button type="submit" className="primary" disabled={create.isPending}>
        Comment
      </button>
    </form>
  )
}

/** Shows whether an issue is resolved, with a button to change it. */
export function IssueState({ issue: { id, resolved } }: { issue: Issue }) {
  const toast = useToast()
  const { mutateAsync, isPending } = useChange(api.updateIssue)
  const put = (isResolved: boolean) => mutateAsync({ id, body: { resolved: isResolved } })
  const turn = () =>
    put(!resolved).then(
      () => {
        const text = `Issue ${id} is ${resolved ? 'open again' : 'resolved'}`
        toast({ text, undo: () => put(resolved) })
      },
      (error: unknown) => toast({ text: `Issue ${id} was not changed: ${errorText(error)}` }),
    )
  const action = resolved ? 'Reopen' : 'Resolve'
  return (
    <>
      {resolved ? 'resolved' : 'open'}{' '}
      <button
        type="button"
        className="plain link"
        aria-label={`${action} issue ${id}`}
        disabled={isPending}
        onClick={() => void turn()}
      >
        {action}
      </button>
    </>
  )
}
