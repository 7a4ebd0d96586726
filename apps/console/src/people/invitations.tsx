import type { Invitation, Organization } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { queries, useChange } from '../api/queries.ts'
import { isLeader, type MemberStanding, rolesToGive } from '../api/roles.ts'
import { Listing, type RecordColumn } from '../records/listing.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { Confirm, Dialog } from '../ui/dialog.tsx'
import { curlOf, Empty, Failure } from '../ui/feedback.tsx'
import { ChangeForm, Field, formText, OptionField } from '../ui/form.tsx'
import { useToast } from '../ui/toasts.tsx'
import { personName, Time } from '../ui/values.tsx'

interface Props {
  organization: Organization
  standing: MemberStanding
}

export function Invitations({ organization: { slug }, standing }: Props) {
  const [isInviting, setIsInviting] = useState(false)
  const [shown, setShown] = useState<Invitation>()
  return (
    <>
      {isLeader(standing) && (
        <div className="filters">
          <button type="button" className="primary" onClick={() => setIsInviting(true)}>
            Invite a user
          </button>
        </div>
      )}
      <Listing
        name="Invitations"
        list={api.listInvitations}
        input={{ org: slug }}
        isScoped={false}
        columns={columnsFor(setShown)}
        keyOf={({ key }) => key}
        empty={<NoInvitation slug={slug} />}
      />
      {isInviting && (
        <InviteMember
          slug={slug}
          standing={standing}
          onInvited={(made) => {
            setIsInviting(false)
            if (!made.accepted) setShown(made)
          }}
          onClose={() => setIsInviting(false)}
        />
      )}
      {shown && <InvitationDialog invitation={shown} onClose={() => setShown(undefined)} />}
    </>
  )
}

function stateOf({ accepted, expired }: Invitation): string {
  if (accepted) return 'accepted'
  return expired ? 'expired' : 'pending'
}

const columnsFor = (onShow: (invitation: Invitation) => void): RecordColumn<Invitation>[] => [
  { title: 'Invited', cell: ({ user }) => personName(user) },
  { title: 'Role', isExtra: true, cell: ({ role }) => role },
  { title: 'State', width: '6rem', cell: stateOf },
  {
    title: 'Created',
    sort: 'created_date',
    isExtra: true,
    cell: ({ created_date }) => <Time value={created_date} />,
  },
  {
    title: 'Actions',
    width: '6rem',
    cell: (invitation) =>
      !invitation.accepted && (
        <button
          type="button"
          aria-label={`Open the invitation of ${invitation.user.username}`}
          onClick={() => onShow(invitation)}
        >
          Open
        </button>
      ),
  },
]

const NoInvitation = ({ slug }: { slug: string }) => (
  <Empty
    reticle={`reticle invitation create cy@example.org --role worker --organization ${slug}`}
    curl={curlOf(
      `/invitations?org=${slug}`,
      `-H 'Content-Type: application/json' -d '{"email":"cy@example.org","role":"worker"}'`,
    )}
  >
    There are no invitations here. Invite users by their e-mail address.
  </Empty>
)

interface InviteMemberProps {
  slug: string
  standing: MemberStanding
  onInvited: (invitation: Invitation) => void
  onClose: () => void
}

/**
 * Renders a dialog to invite a user by e-mail. Where the server allows it, a user with an account becomes a member at
 * once.
 */
function InviteMember({ slug, standing, onInvited, onClose }: InviteMemberProps) {
  const toast = useToast()
  const roles = rolesToGive(standing)
  const invite = async (form: FormData) => {
    const role = roles.find((one) => one === formText(form, 'role')) ?? 'worker'
    const made = await api.createInvitation({
      org: slug,
      body: { email: formText(form, 'email'), role },
    })
    if (made.accepted) toast({ text: `${made.user.username} is a member now.` })
    void queries.invalidateQueries()
    onInvited(made)
  }
  return (
    <Dialog title={`Invite to ${slug}`} onClose={onClose}>
      <ChangeForm action="Invite" onSend={invite}>
        <Field label="E-mail" name="email" type="email" required autoFocus />
        <OptionField
          label="Role"
          name="role"
          options={roles.map((role) => [role, role] as const)}
          hint="Workers work on jobs that are assigned to them, supervisors also create projects and tasks, maintainers see and change everything."
        />
      </ChangeForm>
    </Dialog>
  )
}

interface InvitationDialogProps {
  invitation: Invitation
  onClose: () => void
}

/** Renders a dialog for a pending invitation: shows its link, sends it again or deletes it. */
function InvitationDialog({ invitation: { key, user, role }, onClose }: InvitationDialogProps) {
  const toast = useToast()
  const [isWithdrawing, setIsWithdrawing] = useState(false)
  const resent = useChange(api.resendInvitation, () => {
    toast({ text: 'The invitation was sent again, with a new expiry date.' })
    onClose()
  })
  if (isWithdrawing)
    return <WithdrawInvitation invitationKey={key} username={user.username} onClose={onClose} />
  return (
    <Dialog title={`${user.username} is invited as ${role}`} onClose={onClose}>
      <CopyField label="Invitation link" value={`${location.origin}/invitations/${key}`} />
      <p className="hint">
        If the server sends mails, this link was sent to the invited address. Only the invited user
        can accept it. A user without an account registers with that address.
      </p>
      {resent.error && <Failure error={resent.error} />}
      <div className="actions">
        <button type="button" disabled={resent.isPending} onClick={() => resent.mutate({ key })}>
          Send again
        </button>
        <button type="button" className="danger" onClick={() => setIsWithdrawing(true)}>
          Withdraw
        </button>
      </div>
    </Dialog>
  )
}

interface WithdrawInvitationProps {
  invitationKey: string
  username: string
  onClose: () => void
}

function WithdrawInvitation({ invitationKey, username, onClose }: WithdrawInvitationProps) {
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
      <p>The link of the invitation stops working. You can invite {username} again.</p>
    </Confirm>
  )
}
