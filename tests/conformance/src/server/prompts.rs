//! The prompts: their list, and their content.

use rmcp::ErrorData;
use rmcp::model::{
    ContentBlock, GetPromptRequestParams, GetPromptResponse, GetPromptResult, JsonObject, Prompt,
    PromptArgument, PromptMessage, Role,
};
use serde_json::Value;

use crate::changes::{Changes, List};
use crate::content;
use crate::rounds::{self, Answers};

/// All current prompts.
pub fn list(changes: &Changes) -> Vec<Prompt> {
    let mut prompts = vec![
        prompt("test_simple_prompt", "Says one sentence.", &[]),
        prompt(
            "test_prompt_with_arguments",
            "Says what its arguments are.",
            &[
                ("arg1", "The first argument."),
                ("arg2", "The second argument."),
            ],
        ),
        prompt(
            "test_prompt_with_embedded_resource",
            "Has a resource in it.",
            &[("resourceUri", "The resource's URI.")],
        ),
        prompt("test_prompt_with_image", "Has an image in it.", &[]),
        prompt(
            "test_input_required_result_prompt",
            "Asks the user for something before it says anything.",
            &[],
        ),
    ];
    if changes.is_there(List::Prompts) {
        prompts.push(prompt("test_passing_prompt", "Comes and goes.", &[]));
    }
    prompts
}

fn prompt(name: &str, about: &str, arguments: &[(&str, &str)]) -> Prompt {
    let arguments = arguments.iter().map(|(name, about)| {
        PromptArgument::new(*name)
            .with_description(*about)
            .with_required(true)
    });
    let arguments: Vec<PromptArgument> = arguments.collect();
    Prompt::new(
        name,
        Some(about),
        (!arguments.is_empty()).then_some(arguments),
    )
}

pub fn get(request: GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let arguments = request.arguments.unwrap_or_default();
    let user = |block: ContentBlock| PromptMessage::new(Role::User, block);
    let text = |text: String| user(ContentBlock::text(text));
    let messages = match request.name.as_str() {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.".to_owned())],
        "test_prompt_with_arguments" => {
            let [first, second] = ["arg1", "arg2"].map(|name| argument(&arguments, name));
            vec![text(format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                first?, second?
            ))]
        }
        "test_prompt_with_embedded_resource" => {
            let uri = argument(&arguments, "resourceUri")?;
            let about = "Embedded resource content for testing.";
            vec![
                user(content::resource(uri, "text/plain", about)),
                text("Please process the embedded resource above.".to_owned()),
            ]
        }
        "test_prompt_with_image" => vec![
            user(content::image()),
            text("Please analyze the image above.".to_owned()),
        ],
        "test_input_required_result_prompt" => {
            let answers = Answers::new(request.input_responses);
            let about = "What context should the prompt use?";
            match answers.form("user_context", "context")? {
                Some(context) => vec![text(format!("Work with this: {context}"))],
                None => {
                    let question = rounds::form_question(about, "context", "string");
                    let questions = [("user_context", question)];
                    return Ok(rounds::ask(questions, None)?.into());
                }
            }
        }
        "test_passing_prompt" => vec![text("Here for a while.".to_owned())],
        unknown => {
            let message = format!("unknown prompt: {unknown}");
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    Ok(GetPromptResult::new(messages).into())
}

fn argument<'a>(arguments: &'a JsonObject, name: &str) -> Result<&'a str, ErrorData> {
    let value = arguments.get(name).and_then(Value::as_str);
    value.ok_or_else(|| {
        ErrorData::invalid_params(format!("argument `{name}`: expected a string"), None)
    })
}
