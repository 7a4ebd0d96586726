import type { Invitation } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { type MemberStanding, rolesToGive } from '../api/roles.ts'
import { ChangeForm } from '../ui/change-form.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { OptionField } from '../ui/option-field.tsx'
import { useToast } from '../ui/toasts.tsx'

interface Props {
  slug: string
  standing: MemberStanding
  onInvited: (invitation: Invitation) => void
  onClose: () => void
}

/**
 * Renders a dialog to invite a user by e-mail. Where the server allows it, a user with an account becomes a member at
 * once.
 */
export function Invite({ slug, standing, onInvited, onClose }: Props) {
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
    <Dialog title={`Invite into ${slug}`} onClose={onClose}>
      <ChangeForm action="Invite" onSend={invite}>
        <Field label="E-mail" name="email" type="email" required autoFocus />
        <OptionField
          label="Role"
          name="role"
          options={roles.map((role) => [role, role] as const)}
          hint="Workers do the jobs that are theirs, supervisors also make projects and tasks, maintainers see and change everything."
        />
      </ChangeForm>
    </Dialog>
  )
}
