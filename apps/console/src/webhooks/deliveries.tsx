import type { Delivery } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import { Listing, type RecordColumn } from '../records/listing.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/feedback.tsx'
import { useToast } from '../ui/toasts.tsx'
import { Time } from '../ui/values.tsx'
import { formatJsonText } from './format-json-text.ts'
import { StatusCode } from './webhook-state.tsx'

export function Deliveries({ id }: { id: number }) {
  const [shown, setShown] = useState<Delivery>()
  return (
    <>
      <Listing
        name="Deliveries"
        list={api.listDeliveries}
        input={{ id }}
        isScoped={false}
        columns={columnsWith(setShown)}
        keyOf={({ id }) => id}
        empty={
          <p className="empty">There are no deliveries yet. Send a ping to test the webhook.</p>
        }
      />
      {shown && <OneDelivery delivery={shown} onClose={() => setShown(undefined)} />}
    </>
  )
}

const columnsWith = (show: (delivery: Delivery) => void): readonly RecordColumn<Delivery>[] => [
  {
    title: 'Event',
    width: '34%',
    cell: (delivery) => (
      <button type="button" className="plain link" onClick={() => show(delivery)}>
        {delivery.event}
        <span className="hidden"> (delivery {delivery.id})</span>
      </button>
    ),
  },
  { title: 'Status', width: '7rem', cell: (one) => <StatusCode status={one.status_code} /> },
  {
    title: 'Duration',
    isExtra: true,
    cell: ({ request_duration }) => (request_duration === null ? '–' : `${request_duration} ms`),
  },
  { title: 'Attempt', isExtra: true, cell: ({ attempt }) => attempt },
  { title: 'Redelivery', isExtra: true, cell: ({ redelivery }) => (redelivery ? 'yes' : 'no') },
  { title: 'Sent', cell: ({ created_date }) => <Time value={created_date} /> },
]

function OneDelivery({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const toast = useToast()
  const { webhook_id, id: delivery_id } = delivery
  const again = useChange(api.redeliver, () => {
    onClose()
    toast({ text: `${delivery.event} is sent again` })
  })
  return (
    <Dialog title={`Delivery ${delivery_id}`} onClose={onClose}>
      <DeliveryView delivery={delivery} />
      {again.error && <Failure error={again.error} />}
      <button
        type="button"
        className="primary"
        disabled={again.isPending}
        onClick={() => again.mutate({ id: webhook_id, delivery_id })}
      >
        Send it again
      </button>
    </Dialog>
  )
}

export function DeliveryView({ delivery }: { delivery: Delivery }) {
  const { event, status_code, request_duration, attempt, redelivery, created_date } = delivery
  return (
    <div className="delivery">
      <p>
        <strong>{event}</strong>: <StatusCode status={status_code} />
        {request_duration !== null && ` in ${request_duration} ms`}, attempt {attempt}
        {redelivery && ' (a redelivery)'}, <Time value={created_date} />
      </p>
      <Payload title="Response" value={delivery.response} />
      <Payload title="Payload" value={delivery.request} />
    </div>
  )
}

/** Shows a payload or response, formatted and scrollable by keyboard. */
export function Payload({ title, value }: { title: string; value: unknown }) {
  const text = formatJsonText(value)
  return (
    <>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <section className="payload" tabIndex={0} aria-label={title}>
        <pre>{text || '(empty)'}</pre>
      </section>
    </>
  )
}
