import type { WebhookMessage } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import { useListState } from '../records/list-state.ts'
import { Listing, type RecordColumn } from '../records/listing.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/feedback.tsx'
import { Field, formText } from '../ui/form.tsx'
import { useToast } from '../ui/toasts.tsx'
import { Time } from '../ui/values.tsx'
import { Payload } from './deliveries.tsx'

/** Lists the messages of a webhook by number, without gaps, so that a receiver can find missed ones. */
export function Messages({ id }: { id: number }) {
  const { get } = useListState()
  const [shown, setShown] = useState<WebhookMessage>()
  const after = Number(get('after')) || undefined
  return (
    <>
      <RedeliverMessages id={id} />
      <Listing
        name="Messages"
        list={api.listWebhookMessages}
        input={{ id, after }}
        isScoped={false}
        columns={columnsWith(setShown)}
        keyOf={({ sequence }) => sequence}
        empty={<p className="empty">There are no messages here.</p>}
      />
      {shown && (
        <Dialog title={`Message ${shown.sequence}`} onClose={() => setShown(undefined)}>
          <p>
            <strong>{shown.event}</strong>, {shown.state} after {shown.attempts} attempts
          </p>
          <Payload title="Payload" value={shown.payload} />
        </Dialog>
      )}
    </>
  )
}

const columnsWith = (
  show: (message: WebhookMessage) => void,
): readonly RecordColumn<WebhookMessage>[] => [
  { title: 'Number', width: '6rem', cell: ({ sequence }) => sequence },
  {
    title: 'Event',
    width: '36%',
    cell: (message) => (
      <button type="button" className="plain link" onClick={() => show(message)}>
        {message.event}
        <span className="hidden"> (message {message.sequence})</span>
      </button>
    ),
  },
  { title: 'State', cell: ({ state }) => <span className={`message ${state}`}>{state}</span> },
  { title: 'Attempts', isExtra: true, cell: ({ attempts }) => attempts },
  { title: 'Created', isExtra: true, cell: ({ created_date }) => <Time value={created_date} /> },
]

/** Renders a form to redeliver a range of messages, or all that failed since a time. */
function RedeliverMessages({ id }: { id: number }) {
  const toast = useToast()
  const again = useChange(api.redeliverMessages, ({ count }) =>
    toast({ text: `Messages sent again: ${count}` }),
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
            Send failed messages
          </button>
        </form>
      </div>
      {again.error && <Failure error={again.error} />}
    </details>
  )
}
