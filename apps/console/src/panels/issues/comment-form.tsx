import { type FormEvent, useId } from 'react'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { Failure } from '../../ui/failure.tsx'
import { formText } from '../../ui/form-text.ts'

/** Renders a form to add a comment to an issue. */
export function CommentForm({ issue }: { issue: number }) {
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
