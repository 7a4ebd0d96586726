import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'
import { DeliveryView } from './delivery-view.tsx'

/** Renders a button that sends a ping and shows the result. */
export function Ping({ id }: { id: number }) {
  const ping = useChange(api.pingWebhook)
  return (
    <>
      <button type="button" disabled={ping.isPending} onClick={() => ping.mutate({ id })}>
        Ping
      </button>
      {(ping.data || ping.error) && (
        <Dialog title="Outcome of the ping" onClose={() => ping.reset()}>
          {ping.error && <Failure error={ping.error} />}
          {ping.data && <DeliveryView delivery={ping.data} />}
        </Dialog>
      )}
    </>
  )
}
