import type { Delivery } from '@reticle/sdk'
import { Time } from '../ui/time.tsx'
import { Payload } from './payload.tsx'
import { StatusCode } from './status-code.tsx'

/** Shows a delivery: the payload and the response. */
export function DeliveryView({ delivery }: { delivery: Delivery }) {
  const { event, status_code, request_duration, attempt, redelivery, created_date } = delivery
  return (
    <div className="delivery">
      <p>
        <strong>{event}</strong>: <StatusCode status={status_code} />
        {request_duration !== null && ` in ${request_duration} ms`}, attempt {attempt}
        {redelivery && ' (a redelivery)'}, <Time value={created_date} />
      </p>
      <Payload title="Answer" value={delivery.response} />
      <Payload title="Payload" value={delivery.request} />
    </div>
  )
}
