import type { WebhookMessage } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import type { RecordColumn } from '../records/column.ts'
import { Listing } from '../records/listing.tsx'
import { useListState } from '../records/state.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Time } from '../ui/time.tsx'
import { Payload } from './payload.tsx'
import { RedeliverMessages } from './redeliver-messages.tsx'

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
        empty={<p className="empty">Nothing has happened that this webhook is told of.</p>}
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
  { title: 'Since', isExtra: true, cell: ({ created_date }) => <Time value={created_date} /> },
]
