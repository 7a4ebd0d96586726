import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import { Failure } from '../ui/failure.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { useToast } from '../ui/toasts.tsx'

/** Renders a form to redeliver a range of messages, or all that failed since a time. */
export function RedeliverMessages({ id }: { id: number }) {
  const tell = useToast()
  const again = useChange(api.redeliverMessages, ({ count }) =>
    tell({ text: `Messages that are sent again: ${count}` }),
  )
  return (
    <details className="redeliver">
      <summary>Send messages again</summary>
      <div>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const form = new FormData(event.currentTarget)
            const number = (name: string) => Number(formText(form, name))
            again.mutate({ id, body: { from: number('from'), to: number('to') } })
          }}
        >
          <Field label="From number" name="from" type="number" min={1} required />
          <Field label="To number" name="to" type="number" min={1} required />
          <button type="submit" disabled={again.isPending}>
            Send these
          </button>
        </form>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const since = formText(new FormData(event.currentTarget), 'since')
            again.mutate({ id, body: { failed_since: new Date(since).toISOString() } })
          }}
        >
          <Field label="Failed since" name="since" type="datetime-local" required />
          <button type="submit" disabled={again.isPending}>
            Send what has failed
          </button>
        </form>
      </div>
      {again.error && <Failure error={again.error} />}
    </details>
  )
}
