import type { Request } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'
import { useToast } from '../ui/toasts.tsx'
import { requestTypeText } from './request-text.ts'

/** Renders a button to cancel a request; a request that has started needs confirmation. */
export function CancelRequest({ request }: { request: Request }) {
  const [isAsking, setIsAsking] = useState(false)
  const toast = useToast()
  const { id: rq_id, status } = request
  const cancel = useChange(api.cancelRequest, () => {
    setIsAsking(false)
    toast({ text: `Cancelled: ${requestTypeText(request)}` })
  })
  const isSure = status === 'queued'
  return (
    <>
      <button
        type="button"
        disabled={cancel.isPending}
        onClick={() => (isSure ? cancel.mutate({ rq_id }) : setIsAsking(true))}
      >
        Cancel
      </button>
      {(isAsking || cancel.error) && (
        <Dialog
          title={`Cancel: ${requestTypeText(request)}?`}
          onClose={() => {
            setIsAsking(false)
            cancel.reset()
          }}
        >
          <p>It has begun. What it has done so far is thrown away; nothing else changes.</p>
          {cancel.error && <Failure error={cancel.error} />}
          <div className="actions">
            <button
              type="button"
              className="danger"
              disabled={cancel.isPending}
              onClick={() => cancel.mutate({ rq_id })}
            >
              Cancel the work
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
