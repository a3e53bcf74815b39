//! Rules that Codex adds with an answer, so that it does not ask again.

use codex_wire::app_server::{
    CommandDecisionAcceptWithExecAmendment, CommandDecisionApplyNetworkAmendment,
    CommandExecutionApprovalDecision, NetworkPolicyAmendment, ReviewDecision,
    ReviewDecisionApprovedExecAmendment, ReviewDecisionNetworkPolicyAmendment, ServerRequestParams,
};

/// A rule with which an approval of a command is answered, and which Codex keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Amendment {
    /// It runs, and so do commands that start with these words, without a question. Codex knows it since 0.80.0, in the
    /// older approvals since 0.66.0.
    Commands(Vec<String>),
    /// A host on the network is allowed, or denied. Codex knows it since 0.105.0.
    Network(NetworkPolicyAmendment),
}

impl Amendment {
    /// Those that a request proposes.
    pub(crate) fn proposed(params: &ServerRequestParams) -> Vec<Self> {
        let ServerRequestParams::ItemCommandExecutionRequestApproval(params) = params else {
            return Vec::new();
        };
        let words = params.proposed_execpolicy_amendment.value();
        let hosts = params.proposed_network_policy_amendments.value();
        let words = words.filter(|words| !words.is_empty()).cloned();
        let hosts = hosts.into_iter().flatten().cloned();
        words
            .map(Amendment::Commands)
            .into_iter()
            .chain(hosts.map(Amendment::Network))
            .collect()
    }

    pub(crate) fn into_command_decision(self) -> CommandExecutionApprovalDecision {
        match self {
            Amendment::Commands(words) => {
                CommandExecutionApprovalDecision::AcceptWithExecpolicyAmendment(
                    CommandDecisionAcceptWithExecAmendment::new(words),
                )
            }
            Amendment::Network(rule) => {
                CommandExecutionApprovalDecision::ApplyNetworkPolicyAmendment(
                    CommandDecisionApplyNetworkAmendment::new(rule),
                )
            }
        }
    }

    /// The same in the words of the older approvals.
    pub(crate) fn into_review_decision(self) -> ReviewDecision {
        match self {
            Amendment::Commands(words) => ReviewDecision::ApprovedExecpolicyAmendment(
                ReviewDecisionApprovedExecAmendment::new(words),
            ),
            Amendment::Network(rule) => ReviewDecision::NetworkPolicyAmendment(
                ReviewDecisionNetworkPolicyAmendment::new(rule),
            ),
        }
    }
}
