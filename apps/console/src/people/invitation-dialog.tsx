import type { Invitation } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { queries, useChange } from '../api/queries.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Copy } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'
import { useToast } from '../ui/toasts.tsx'

interface Props {
  invitation: Invitation
  onClose: () => void
}

/** Renders a dialog for a pending invitation: shows its link, sends it again or deletes it. */
export function InvitationDialog({ invitation: { key, user, role }, onClose }: Props) {
  const toast = useToast()
  const [isWithdrawing, setIsWithdrawing] = useState(false)
  const resent = useChange(api.resendInvitation, () => {
    toast({ text: 'Sent once more: it is good for as long as at first.' })
    onClose()
  })
  if (isWithdrawing)
    return <Withdraw {...{ invitationKey: key, username: user.username, onClose }} />
  return (
    <Dialog title={`${user.username} is invited as ${role}`} onClose={onClose}>
      <Copy label="The link to hand over" value={`${location.origin}/invitations/${key}`} />
      <p className="hint">
        Where the server sends mails, it has been sent. Only who is invited can accept; who has no
        account registers with the address that was invited.
      </p>
      {resent.error && <Failure error={resent.error} />}
      <div className="actions">
        <button type="button" disabled={resent.isPending} onClick={() => resent.mutate({ key })}>
          Send once more
        </button>
        <button type="button" className="danger" onClick={() => setIsWithdrawing(true)}>
          Withdraw
        </button>
      </div>
    </Dialog>
  )
}

interface WithdrawProps {
  invitationKey: string
  username: string
  onClose: () => void
}

function Withdraw({ invitationKey, username, onClose }: WithdrawProps) {
  return (
    <Confirm
      title="Withdraw the invitation"
      word={username}
      action="Withdraw"
      onConfirm={async () => {
        await api.deleteInvitation({ key: invitationKey })
        await queries.invalidateQueries()
      }}
      onClose={onClose}
    >
      <p>Its link leads nowhere afterwards. {username} can be invited anew.</p>
    </Confirm>
  )
}
