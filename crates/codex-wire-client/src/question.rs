//! What Codex asks in a turn: approvals, and other requests.
//!
//! Codex waits for each answer. A question that is dropped is declined, or refused, so that neither side waits
//! forever and nothing runs that was not allowed.

use codex_wire::Release;
use codex_wire::app_server::methods::server_requests as methods;
use codex_wire::app_server::{
    ApplyPatchApprovalResponse, CommandExecutionApprovalDecision,
    CommandExecutionRequestApprovalResponse, ErrorObject, ExecCommandApprovalResponse,
    FileChangeApprovalDecision, FileChangeRequestApprovalResponse, Request, ReviewDecision,
    ReviewDecisionDenied, ServerRequest, ServerRequestParams, ServerSide, ThreadItem,
    ThreadItemDetails,
};

use crate::amendment::Amendment;
use crate::connection::Shared;
use crate::error::Error;
use crate::inbox::unanswered;

/// Codex asks whether it may run a command or change files.
#[derive(Debug)]
#[must_use = "an approval that is dropped is declined"]
pub struct Approval {
    connection: Shared,
    request: Box<ServerRequest>,
    item: Option<Box<ThreadItem>>,
    is_answered: bool,
}

/// What an approval is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalKind {
    /// A command, or a host on the network that it wants to reach.
    Command,
    /// A change of files.
    Patch,
}

/// What a client decides about an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Do it, this once.
    Accept,
    /// Do it, and do not ask again for the same in this session. Patches have it since 0.66.0.
    AcceptForSession,
    /// Do not do it; the turn goes on.
    Decline,
    /// Do not do it, and interrupt the turn.
    Cancel,
}

impl Approval {
    /// The approval that a request asks for, if it asks for one.
    pub(crate) fn of(
        connection: &Shared,
        request: Box<ServerRequest>,
        item: Option<Box<ThreadItem>>,
    ) -> Result<Self, Box<ServerRequest>> {
        if kind(&request).is_none() {
            return Err(request);
        }
        Ok(Approval {
            connection: connection.clone(),
            request,
            item,
            is_answered: false,
        })
    }

    /// What it is about.
    pub fn kind(&self) -> ApprovalKind {
        kind(&self.request).expect("an approval has a kind")
    }

    /// The command, as far as the request and its item say it; nothing for a patch. See
    /// [`command_text`](codex_wire::app_server::CommandExecutionRequestApprovalParams::command_text).
    pub fn command(&self) -> Option<String> {
        match &self.request.params {
            ServerRequestParams::ItemCommandExecutionRequestApproval(params) => params
                .command_text(self.item.as_deref())
                .map(|text| text.to_string()),
            ServerRequestParams::ExecCommandApproval(params) => Some(params.command_text()),
            _ => None,
        }
    }

    /// The paths of the files that would change; none for a command.
    pub fn files(&self) -> Vec<String> {
        match (
            &self.request.params,
            self.item.as_ref().map(|item| &item.details),
        ) {
            (ServerRequestParams::ApplyPatchApproval(params), _) => params
                .file_changes
                .iter()
                .map(|(path, _)| path.to_owned())
                .collect(),
            (_, Some(ThreadItemDetails::FileChange(item))) => item
                .changes
                .iter()
                .map(|change| change.path.clone())
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Why Codex asks.
    pub fn reason(&self) -> Option<&str> {
        let reason = match &self.request.params {
            ServerRequestParams::ItemCommandExecutionRequestApproval(params) => &params.reason,
            ServerRequestParams::ItemFileChangeRequestApproval(params) => &params.reason,
            ServerRequestParams::ExecCommandApproval(params) => &params.reason,
            ServerRequestParams::ApplyPatchApproval(params) => &params.reason,
            _ => return None,
        };
        reason.value().map(String::as_str)
    }

    /// The request.
    pub fn request(&self) -> &ServerRequest {
        &self.request
    }

    /// The item that it is about, if it began before the question; from 0.98.0 to 0.116.0 commands begin after it.
    pub fn item(&self) -> Option<&ThreadItem> {
        self.item.as_deref()
    }

    /// Answers it.
    ///
    /// # Errors
    /// If Codex withdrew the question, ended, or does not know the decision in this release: then it is declined.
    pub fn decide(mut self, decision: Decision) -> Result<(), Error> {
        self.answer(decision)
    }

    /// The rules that Codex proposes to add with the answer, for [`amend`](Self::amend). Since 0.105.0 some are about hosts on
    /// the network.
    pub fn amendments(&self) -> Vec<Amendment> {
        Amendment::proposed(&self.request.params)
    }

    /// Answers it with a rule, which decides it and is kept.
    ///
    /// # Errors
    /// As [`decide`](Self::decide), and if it is about a patch, which takes no rule: then it is declined.
    pub fn amend(mut self, amendment: Amendment) -> Result<(), Error> {
        let (connection, id) = (&self.connection, &self.request.id);
        match &self.request.params {
            ServerRequestParams::ItemCommandExecutionRequestApproval(_) => {
                let decision = amendment.into_command_decision();
                let result = CommandExecutionRequestApprovalResponse::new(decision);
                connection.answer::<methods::ItemCommandExecutionRequestApproval>(id, &result)
            }
            ServerRequestParams::ExecCommandApproval(_) => {
                let result = ExecCommandApprovalResponse::new(amendment.into_review_decision());
                connection.answer::<methods::ExecCommandApproval>(id, &result)
            }
            params => Err(Error::NotAmendable {
                method: params.tag().to_owned(),
            }),
        }?;
        self.is_answered = true;
        Ok(())
    }

    /// Do it, this once.
    ///
    /// # Errors
    /// As [`decide`](Self::decide).
    pub fn accept(self) -> Result<(), Error> {
        self.decide(Decision::Accept)
    }

    /// Do not do it; the turn goes on.
    ///
    /// # Errors
    /// As [`decide`](Self::decide).
    pub fn decline(self) -> Result<(), Error> {
        self.decide(Decision::Decline)
    }

    fn answer(&mut self, decision: Decision) -> Result<(), Error> {
        let answered = self.send(decision);
        // A decision that the release does not know was not sent: dropped, the approval is declined.
        self.is_answered = answered.is_ok();
        answered
    }

    fn send(&self, decision: Decision) -> Result<(), Error> {
        let (connection, id) = (&self.connection, &self.request.id);
        match &self.request.params {
            ServerRequestParams::ItemCommandExecutionRequestApproval(_) => {
                use CommandExecutionApprovalDecision as Word;
                let decision = match decision {
                    Decision::Accept => Word::Accept,
                    Decision::AcceptForSession => Word::AcceptForSession,
                    Decision::Decline => Word::Decline,
                    Decision::Cancel => Word::Cancel,
                };
                let result = CommandExecutionRequestApprovalResponse::new(decision);
                connection.answer::<methods::ItemCommandExecutionRequestApproval>(id, &result)
            }
            ServerRequestParams::ItemFileChangeRequestApproval(_) => {
                use FileChangeApprovalDecision as Word;
                let decision = match decision {
                    Decision::Accept => Word::Accept,
                    Decision::AcceptForSession => Word::AcceptForSession,
                    Decision::Decline => Word::Decline,
                    Decision::Cancel => Word::Cancel,
                };
                let result = FileChangeRequestApprovalResponse::new(decision);
                connection.answer::<methods::ItemFileChangeRequestApproval>(id, &result)
            }
            ServerRequestParams::ExecCommandApproval(_) => {
                let decision = review_decision(decision, connection.release());
                let result = ExecCommandApprovalResponse::new(decision);
                connection.answer::<methods::ExecCommandApproval>(id, &result)
            }
            _ => {
                let decision = review_decision(decision, connection.release());
                let result = ApplyPatchApprovalResponse::new(decision);
                connection.answer::<methods::ApplyPatchApproval>(id, &result)
            }
        }
    }
}

impl Drop for Approval {
    fn drop(&mut self) {
        if !self.is_answered {
            // Whoever reads on is told if Codex is gone.
            let _ = self.answer(Decision::Decline);
        }
    }
}

fn kind(request: &ServerRequest) -> Option<ApprovalKind> {
    match &request.params {
        ServerRequestParams::ItemCommandExecutionRequestApproval(_)
        | ServerRequestParams::ExecCommandApproval(_) => Some(ApprovalKind::Command),
        ServerRequestParams::ItemFileChangeRequestApproval(_)
        | ServerRequestParams::ApplyPatchApproval(_) => Some(ApprovalKind::Patch),
        _ => None,
    }
}

/// The words of the older approvals; `denied` has a reason since 0.145.0.
fn review_decision(decision: Decision, release: Option<Release>) -> ReviewDecision {
    match decision {
        Decision::Accept => ReviewDecision::Approved,
        Decision::AcceptForSession => ReviewDecision::ApprovedForSession,
        Decision::Decline if release.is_some_and(|release| release < Release::new(0, 145, 0)) => {
            ReviewDecision::Denied
        }
        Decision::Decline => {
            ReviewDecision::DeniedWith(ReviewDecisionDenied::new("the user declined"))
        }
        Decision::Cancel => ReviewDecision::Abort,
    }
}

/// Any other request of Codex, such as a question to the user or a call of a tool that the client offers.
#[derive(Debug)]
#[must_use = "a question that is dropped is refused"]
pub struct Question {
    connection: Shared,
    request: Box<ServerRequest>,
    is_answered: bool,
}

impl Question {
    pub(crate) fn new(connection: &Shared, request: Box<ServerRequest>) -> Self {
        Question {
            connection: connection.clone(),
            request,
            is_answered: false,
        }
    }

    /// The request.
    pub fn request(&self) -> &ServerRequest {
        &self.request
    }

    /// Answers it, as the method that it is.
    ///
    /// # Errors
    /// If it is of another method, Codex withdrew it, or Codex ended.
    pub fn answer<M>(mut self, result: &M::Result) -> Result<(), Error>
    where
        M: Request<Sender = ServerSide, Call = ServerRequestParams>,
    {
        self.connection.answer::<M>(&self.request.id, result)?;
        self.is_answered = true;
        Ok(())
    }

    /// Refuses it, with a reason.
    ///
    /// # Errors
    /// If Codex withdrew it, or ended.
    pub fn refuse(mut self, error: ErrorObject) -> Result<(), Error> {
        self.is_answered = true;
        self.connection.refuse(&self.request.id, error)
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        if !self.is_answered {
            // As with an approval.
            let _ = self
                .connection
                .refuse(&self.request.id, unanswered(&self.request));
        }
    }
}
